/* Gains of a model: one pass over the m x m inner products <e_i, w_j>, one row at a time. */
#include "theory/gains.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "data/model.h"
#include "kernels/gram.h"
#include "theory/babel.h"

#include <float.h>
#include <math.h>

/* In floats: GCC 12 for aarch64 crashes on maxima of numbers that are converted in the same loop. */
static double most_of(const float *x, int64_t count) {
    float most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmaxf(most, fabsf(x[i]));
    return (double)most;
}

static double longest(const double *rows, int64_t m, int64_t n) {
    double most = 0;
    for (int64_t i = 0; i < m; i++)
        most = fmax(most, dl_norm(rows + i * n, n));
    return most * (1 + (double)(n + 8) * DBL_EPSILON);
}

/* Fills in d and babel; row holds m doubles. A sum of s products, each with an error of at most slack, has an
 * error of at most s slack plus its own rounding. */
static void fill(dl_gains *g, double *row) {
    int64_t m = g->m, n = g->n;
    for (int64_t i = 0; i < m; i++) {
        dl_gram_row(g->E + i * n, g->W, m, n, row);
        g->d[i] = row[i];
        row[i] = row[m - 1];
        for (int64_t j = 0; j < m - 1; j++)
            row[j] = fabs(row[j]);
        dl_babel_add(row, m - 1, m - 1, g->babel + 1);
    }
    for (int64_t s = 1; s < m; s++)
        g->babel[s] = (g->babel[s] + (double)s * g->slack) * (1 + (double)(s + 4) * DBL_EPSILON);
}

dltf_status dl_gains_make(const dltf_model *model, bool tied, dl_gains *gains) {
    dltf_model_view parts = dltf_model_get(model);
    dltf_status status = DLTF_OK;
    double *row = NULL;
    dl_gains g = {.m = parts.m, .n = parts.n, .positive = parts.select == DLTF_SELECT_POSITIVE};
    g.bias = tied ? NULL : parts.bias;
    DL_TRY(dl_widen(parts.dictionary, g.m * g.n, &g.W));
    g.E = g.W;
    if (!tied && parts.encoder)
        DL_TRY(dl_widen(parts.encoder, g.m * g.n, &g.E));
    DL_TRY_NEW(g.d, g.m);
    DL_TRY_NEW(g.babel, g.m);
    DL_TRY_NEW(row, g.m);
    g.longest_w = longest(g.W, g.m, g.n);
    g.longest_e = longest(g.E, g.m, g.n);
    g.most_bias = g.bias ? most_of(g.bias, g.m) : 0;
    g.slack = (double)(g.n + 2) * DBL_EPSILON * g.longest_e * g.longest_w;
    fill(&g, row);
    *gains = g;
    g = (dl_gains){.m = 0};
done:
    dl_free(row);
    dl_gains_free(&g);
    return status;
}

void dl_gains_free(dl_gains *gains) {
    if (gains->E != gains->W)
        dl_free(gains->E);
    dl_free(gains->W);
    dl_free(gains->d);
    dl_free(gains->babel);
    *gains = (dl_gains){.m = 0};
}

double dl_gains_rank(const dl_gains *gains, double t) {
    return gains->positive ? t : fabs(t);
}

double dl_gains_babel(const dl_gains *gains, int64_t s) {
    return gains->babel[s < gains->m ? s : gains->m - 1];
}
