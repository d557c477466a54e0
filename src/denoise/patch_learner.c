/* Learns a dictionary from noisy patches with the coder that will be used on them. */
#include "denoise/patch_learner.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "coding/coders/incoherent.h"
#include "coding/decode.h"
#include "data/matrix.h"
#include "learning/replace.h"
#include "learning/stages/rank_one.h"

#include <math.h>
#include <string.h>

/* Unused: in fewer codes than this. Duplicate: |<w_i, w_j>| above this. */
static const double MIN_USE = 4, DUPLICATE = 0.98;

typedef struct learner {
    const dl_patch_training *t;
    int64_t n;
    float *W;     /* m x n */
    double *wide; /* W in double, for the updates */
    float *R;     /* count x n: residuals */
    dl_incoherent coder;
    dl_incoherent_space *spaces;
    dl_slots Z;
    dl_by_atom by_atom;
    double *use; /* m: number of patches that use the atom */
    dl_rank_one rank_one;
    dl_replace_space replace;
} learner;

/* ---- the start ---- */

/* Column f of the overcomplete cosine transform of `count` frequencies: norm 1 and, for f > 0, mean 0. */
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
    dl_incoherent_tile(&l->coder, l->t->X + first * n, n, rows, &l->spaces[worker], Z);
    memcpy(l->R + first * n, l->t->X + first * n, (size_t)(rows * n) * sizeof *l->R);
    for (int64_t i = 0; i < rows; i++)
        dl_decode32(l->R + (first + i) * n, DL_SUBTRACT, l->W, n, dl_slots_code(&Z, i));
}

/* ---- atoms ---- */

static void update_atoms(learner *l) {
    dl_by_atom_sort(&l->by_atom, l->Z);
    for (int64_t j = 0; j < l->t->m; j++) {
        dl_atom_entries entries = dl_by_atom_of(&l->by_atom, j);
        dl_rank_one_update(&l->rank_one, DL_RANK_ONE_APPROXIMATE, l->R, l->Z, entries, l->wide + j * l->n);
        l->use[j] = (double)entries.count;
    }
}

static void replace_atoms(learner *l) {
    dl_residual_rows rows = {l->R, l->n};
    dl_replacement replacement = {
        .m = l->t->m,
        .n = l->n,
        .W = l->wide,
        .use = l->use,
        .min_use = MIN_USE,
        .coherence = DUPLICATE,
        .samples = l->t->count,
        .residual = dl_residual_row,
        .context = &rows,
    };
    dl_replace_atoms(&replacement, &l->replace);
}

/* Allocates everything and sets W to the cosine dictionary. */
static dltf_status learner_alloc(learner *l) {
    const dl_patch_training *t = l->t;
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(l->R, t->count * l->n);
    DL_TRY(dl_incoherent_alloc(&l->coder, t->m, l->n));
    DL_TRY_NEW(l->spaces, t->threads);
    for (int i = 0; i < t->threads; i++)
        DL_TRY(dl_incoherent_space_alloc(&l->spaces[i], t->m));
    DL_TRY(dl_slots_alloc(&l->Z, t->count, t->k));
    DL_TRY(dl_by_atom_alloc(&l->by_atom, t->m, t->count * t->k));
    DL_TRY_NEW(l->use, t->m);
    DL_TRY(dl_rank_one_alloc(&l->rank_one, t->threads, l->n, t->count));
    DL_TRY(dl_replace_space_alloc(&l->replace, t->m, l->n, t->count));
    DL_TRY(dl_cosine_dictionary(t->side, t->m, l->W));
    DL_TRY(dl_widen(l->W, t->m * l->n, &l->wide));
done:
    return status;
}

static void learner_free(learner *l) {
    dl_free(l->R);
    dl_incoherent_free(&l->coder);
    for (int i = 0; l->spaces && i < l->t->threads; i++)
        dl_incoherent_space_free(&l->spaces[i]);
    dl_free(l->spaces);
    dl_slots_free(&l->Z);
    dl_by_atom_free(&l->by_atom);
    dl_free(l->use);
    dl_rank_one_free(&l->rank_one);
    dl_replace_space_free(&l->replace);
    dl_free(l->wide);
}

dltf_status dl_patch_learn(const dl_patch_training *t, dl_meter *meter, int64_t units, float *W) {
    learner l = {.t = t,
                 .n = t->side * t->side,
                 .W = W,
                 .coder = {.k = t->k, .threshold = t->cut, .coherence = t->mu}};
    dltf_status status = learner_alloc(&l);
    for (int64_t i = 0; i < t->iterations && status == DLTF_OK; i++) {
        dl_incoherent_fill(&l.coder, t->threads, W);
        if (!dl_parallel_polled(t->threads, dl_tiles(t->count, DL_TILE), code_tile, &l)) {
            status = dl_fail(DLTF_CANCELLED, "denoising was cancelled");
            break;
        }
        update_atoms(&l);
        if (i + 1 < t->iterations)
            replace_atoms(&l);
        for (int64_t e = 0; e < t->m * l.n; e++)
            W[e] = (float)l.wide[e];
        if (!dl_meter_add(meter, units / t->iterations))
            status = dl_fail(DLTF_CANCELLED, "denoising was cancelled");
    }
    learner_free(&l);
    return status;
}
