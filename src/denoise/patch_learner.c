/* Learns from noisy patches with the coder that will be used on them. Called by denoise.c. */
#include "denoise/patch_learner.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "denoise/incoherent.h"
#include "kernels/gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An atom that fewer patches use, or that is so close to another one, is replaced. */
static const int64_t LEAST_USE = 4;
static const double COPY = 0.98;

typedef struct learner {
    const dl_patch_training *t;
    int64_t n;
    float *W, *R; /* m x n; residuals, count x n */
    dl_incoherent rule;
    dl_incoherent_space *spaces;
    dl_slots Z;
    int64_t *begin, *entry; /* m + 1; entries of Z, atom by atom */
    double *atom, *gram;    /* n; m */
    double *wide;           /* m x n: W in double, for its Gram matrix */
    double *squares;        /* of the residuals */
} learner;

/* ---- the start ---- */

/* Column f of the overcomplete cosine transform of `count` frequencies: norm 1 and, but for f = 0, mean 0. */
static void cosine(int64_t side, int64_t count, int64_t f, double *column) {
    double mean = 0;
    for (int64_t i = 0; i < side; i++) {
        column[i] = cos(3.141592653589793 * (double)(i * f) / (double)count);
        mean += column[i] / (double)side;
    }
    for (int64_t i = 0; f > 0 && i < side; i++)
        column[i] -= mean;
    dl_normalise(column, side);
}

dltf_status dl_cosine_dictionary(int64_t side, int64_t m, float *W) {
    int64_t count = 1, n = side * side, j = 0;
    while (count * count < m + 1)
        count++;
    double *columns = DL_NEW(double, count *side);
    if (!columns)
        return DLTF_MEMORY;
    for (int64_t f = 0; f < count; f++)
        cosine(side, count, f, columns + f * side);
    for (int64_t order = 1; order <= 2 * (count - 1); order++)
        for (int64_t v = 0; v < count; v++) {
            int64_t u = order - v;
            if (u < 0 || u >= count || j == m)
                continue;
            for (int64_t i = 0; i < n; i++)
                W[j * n + i] = (float)(columns[v * side + i / side] * columns[u * side + i % side]);
            j++;
        }
    dl_free(columns);
    return DLTF_OK;
}

/* ---- codes and residuals ---- */

static void code_tile(void *context, int64_t tile, int worker) {
    learner *l = context;
    int64_t n = l->n, first = tile * DL_TILE, left = l->t->count - first;
    int64_t rows = left < DL_TILE ? left : DL_TILE;
    dl_slots Z = dl_slots_from(&l->Z, first, rows);
    dl_incoherent_tile(&l->rule, l->t->X + first * n, rows, &l->spaces[worker], Z);
    memcpy(l->R + first * n, l->t->X + first * n, (size_t)(rows * n) * sizeof *l->R);
    for (int64_t i = 0; i < rows; i++) {
        float *r = l->R + (first + i) * n;
        for (int32_t e = 0; e < Z.count[i]; e++) {
            const float *w = l->W + Z.index[i * Z.k + e] * n;
            float z = Z.value[i * Z.k + e];
            for (int64_t d = 0; d < n; d++)
                r[d] -= z * w[d];
        }
    }
}

/* The entries of every atom, in order of the samples. */
static void sort_entries(learner *l) {
    int64_t m = l->t->m, k = l->Z.k;
    memset(l->begin, 0, (size_t)(m + 1) * sizeof *l->begin);
    for (int64_t i = 0; i < l->t->count; i++)
        for (int32_t e = 0; e < l->Z.count[i]; e++)
            l->begin[l->Z.index[i * k + e] + 1]++;
    for (int64_t j = 0; j < m; j++)
        l->begin[j + 1] += l->begin[j];
    for (int64_t i = 0; i < l->t->count; i++)
        for (int32_t e = 0; e < l->Z.count[i]; e++)
            l->entry[l->begin[l->Z.index[i * k + e]]++] = i * k + e;
    for (int64_t j = m; j > 0; j--) /* each has moved to the begin of the next */
        l->begin[j] = l->begin[j - 1];
    l->begin[0] = 0;
}

/* ---- atoms ---- */

/* w <- normalise(E z), z <- E^T w with E = the residuals of the samples that use w, w's share added back. */
static void update_atom(learner *l, int64_t j) {
    int64_t n = l->n, k = l->Z.k;
    float *w = l->W + j * n;
    double square = 0, overlap = 0;
    memset(l->atom, 0, (size_t)n * sizeof *l->atom);
    for (int64_t a = l->begin[j]; a < l->begin[j + 1]; a++) {
        float z = l->Z.value[l->entry[a]];
        dl_kernels_now()->add_scaled(l->atom, z, l->R + l->entry[a] / k * n, n);
        square += (double)z * (double)z;
    }
    for (int64_t d = 0; d < n; d++)
        l->atom[d] += square * (double)w[d];
    if (!dl_normalise(l->atom, n))
        return;
    for (int64_t d = 0; d < n; d++)
        overlap += l->atom[d] * (double)w[d];
    for (int64_t a = l->begin[j]; a < l->begin[j + 1]; a++) {
        float *r = l->R + l->entry[a] / k * n, z = l->Z.value[l->entry[a]];
        double now = (double)z * overlap;
        for (int64_t d = 0; d < n; d++)
            now += (double)r[d] * l->atom[d];
        l->Z.value[l->entry[a]] = (float)now;
        for (int64_t d = 0; d < n; d++)
            r[d] += z * w[d] - (float)now * (float)l->atom[d];
    }
    for (int64_t d = 0; d < n; d++)
        w[d] = (float)l->atom[d];
}

static bool is_useless(const learner *l, int64_t j) {
    if (l->begin[j + 1] - l->begin[j] < LEAST_USE)
        return true;
    dl_gram_row(l->wide + j * l->n, l->wide, j, l->n, l->gram);
    for (int64_t i = 0; i < j; i++)
        if (fabs(l->gram[i]) > COPY)
            return true;
    return false;
}

/* Residuals of the worst coded patches take the place of useless atoms. */
static void replace_atoms(learner *l) {
    int64_t n = l->n, m = l->t->m;
    for (int64_t i = 0; i < m * n; i++)
        l->wide[i] = (double)l->W[i];
    for (int64_t i = 0; i < l->t->count; i++) {
        l->squares[i] = 0;
        for (int64_t d = 0; d < n; d++)
            l->squares[i] += (double)l->R[i * n + d] * (double)l->R[i * n + d];
    }
    for (int64_t j = 0; j < m; j++) {
        if (!is_useless(l, j))
            continue;
        int64_t worst = 0;
        for (int64_t i = 1; i < l->t->count; i++)
            if (l->squares[i] > l->squares[worst])
                worst = i;
        for (int64_t d = 0; d < n; d++)
            l->atom[d] = (double)l->R[worst * n + d];
        l->squares[worst] = 0;
        if (!dl_normalise(l->atom, n))
            return; /* nothing is left to explain */
        for (int64_t d = 0; d < n; d++)
            l->W[j * n + d] = (float)(l->wide[j * n + d] = l->atom[d]);
    }
}

static dltf_status learner_alloc(learner *l) {
    const dl_patch_training *t = l->t;
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(l->R, t->count * l->n);
    DL_TRY(dl_incoherent_alloc(&l->rule, t->m, l->n, t->k));
    DL_TRY_NEW(l->spaces, t->threads);
    for (int i = 0; i < t->threads; i++)
        DL_TRY(dl_incoherent_space_alloc(&l->spaces[i], t->m));
    DL_TRY(dl_slots_alloc(&l->Z, t->count, t->k));
    DL_TRY_NEW(l->begin, t->m + 1);
    DL_TRY_NEW(l->entry, t->count * t->k);
    DL_TRY_NEW(l->atom, l->n);
    DL_TRY_NEW(l->gram, t->m);
    DL_TRY_NEW(l->wide, t->m * l->n);
    DL_TRY_NEW(l->squares, t->count);
done:
    return status;
}

static void learner_free(learner *l) {
    dl_free(l->R);
    dl_incoherent_free(&l->rule);
    for (int i = 0; l->spaces && i < l->t->threads; i++)
        dl_incoherent_space_free(&l->spaces[i]);
    dl_free(l->spaces);
    dl_slots_free(&l->Z);
    dl_free(l->begin);
    dl_free(l->entry);
    dl_free(l->atom);
    dl_free(l->gram);
    dl_free(l->wide);
    dl_free(l->squares);
}

dltf_status dl_patch_learn(const dl_patch_training *t, dl_meter *meter, int64_t units, float *W) {
    learner l = {.t = t, .n = t->side * t->side, .W = W};
    dltf_status status = learner_alloc(&l);
    if (status == DLTF_OK)
        status = dl_cosine_dictionary(t->side, t->m, W);
    for (int64_t i = 0; i < t->iterations && status == DLTF_OK; i++) {
        dl_incoherent_fill(&l.rule, W, t->mu, t->cut);
        dl_parallel(t->threads, dl_tiles(t->count, DL_TILE), code_tile, &l);
        sort_entries(&l);
        for (int64_t j = 0; j < t->m; j++)
            update_atom(&l, j);
        if (i + 1 < t->iterations)
            replace_atoms(&l);
        if (!dl_meter_add(meter, units / t->iterations))
            status = dl_fail(DLTF_CANCELLED, "denoising was cancelled");
    }
    learner_free(&l);
    return status;
}
