/* Replaces unused and duplicate atoms by the largest residuals. */
#include "learning/replace.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "kernels/gram.h"

#include <math.h>
#include <string.h>

dltf_status dl_replace_space_alloc(dl_replace_space *space, int64_t m, int64_t n, int64_t samples) {
    dltf_status status = DLTF_OK;
    *space = (dl_replace_space){0};
    DL_TRY_NEW(space->atoms, m);
    DL_TRY_NEW(space->row, m);
    DL_TRY_NEW(space->squares, samples);
    DL_TRY_NEW(space->residual, n);
done:
    if (status != DLTF_OK)
        dl_replace_space_free(space);
    return status;
}

void dl_replace_space_free(dl_replace_space *space) {
    dl_free(space->atoms);
    dl_free(space->row);
    dl_free(space->squares);
    dl_free(space->residual);
    *space = (dl_replace_space){0};
}

/* <w_i, w_j> for all i. */
static const double *gram_row(const dl_replacement *r, int64_t j, dl_replace_space *space) {
    if (r->G)
        return r->G + j * r->m;
    dl_gram_row(r->W + j * r->n, r->W, r->m, r->n, space->row);
    return space->row;
}

/* Whether atom j has a duplicate that is used more, or equally and has a lower index. Unused duplicates do
 * not count: they are replaced themselves. */
static bool has_better_duplicate(const dl_replacement *r, int64_t j, const double *g, double min_use) {
    const double *use = r->use;
    for (int64_t i = 0; i < r->m; i++)
        if (i != j && fabs(g[i]) > r->coherence && use[i] >= min_use &&
            (use[i] > use[j] || (use[i] == use[j] && i < j)))
            return true;
    return false;
}

int64_t dl_replace_find(const dl_replacement *r, dl_replace_space *space) {
    double mean = 0;
    for (int64_t j = 0; j < r->m; j++)
        mean += r->use[j] / (double)r->m;
    double min_use = fmax(r->min_use, r->min_share * mean);
    int64_t found = 0;
    for (int64_t j = 0; j < r->m; j++)
        if (r->use[j] == 0 || r->use[j] < min_use ||
            has_better_duplicate(r, j, gram_row(r, j, space), min_use))
            space->atoms[found++] = (int32_t)j;
    return found;
}

/* Takes the sample with the largest remaining residual; -1 if none is above `smallest`. */
static int64_t take_worst(double *squares, int64_t samples, double smallest) {
    int64_t worst = -1;
    for (int64_t i = 0; i < samples; i++)
        if (squares[i] > smallest && (worst < 0 || squares[i] > squares[worst]))
            worst = i;
    if (worst >= 0)
        squares[worst] = 0;
    return worst;
}

static void replace_atom(const dl_replacement *r, int64_t j, dl_replace_space *space) {
    int64_t n = r->n, worst = take_worst(space->squares, r->samples, r->min_square);
    double *atom = space->residual;
    if (worst >= 0)
        r->residual(r->context, worst, atom);
    else if (!r->random)
        return;
    else /* all samples are fitted: any direction will do */
        for (int64_t d = 0; d < n; d++)
            atom[d] = dl_random_normal(*r->random, r->first + (uint64_t)(j * n + d));
    if (dl_normalise(atom, n))
        memcpy(r->W + j * n, atom, (size_t)n * sizeof *r->W);
}

int64_t dl_replace_atoms(const dl_replacement *r, dl_replace_space *space) {
    int64_t found = dl_replace_find(r, space);
    for (int64_t i = 0; i < r->samples && found > 0; i++)
        space->squares[i] = r->residual(r->context, i, space->residual);
    for (int64_t a = 0; a < found; a++)
        replace_atom(r, space->atoms[a], space);
    return found;
}

double dl_residual_row(void *context, int64_t i, double *r) {
    const dl_residual_rows *rows = context;
    const float *row = rows->R + i * rows->n;
    for (int64_t d = 0; d < rows->n; d++)
        r[d] = (double)row[d];
    return dl_kernels_now()->square(row, rows->n);
}
