/* Stage `ksvd` (Aharon, Elad, Bruckstein 2006):   min ||X - WZ||^2  s.t. ||z_i||_0 <= k, ||w_j|| = 1
 *
 * An iteration codes all samples by Batch-OMP, then updates the atoms in order. With R = X - WZ and E the
 * columns of R + w_j z_j that use atom j, the atom and its coefficients become the best rank-one fit w_j z_j
 * to E; supports do not change. Only W is kept between iterations: codes and residuals are recomputed. */
#include "base/memory.h"
#include "base/meter.h"
#include "coding/coders/omp.h"
#include "coding/decode.h"
#include "comm/comm.h"
#include "kernels/kernels.h"
#include "learning/stages/learner_replace.h"
#include "learning/stages/rank_one.h"

#include <math.h>
#include <string.h>

typedef struct ksvd {
    int threads;
    float *R;         /* N x n: X - WZ */
    dl_slots Z;       /* codes of all samples */
    float *atoms;     /* m x n: W in f32 */
    double *W;        /* m x n: the dictionary during the update of its atoms */
    double *code_sum; /* m */
    double *row;      /* threads x n: work space for loading */
    double *use;      /* m: number of codes that contain the atom */
    dl_by_atom by_atom;
    dl_rank_one rank_one;
    dl_omp_space *spaces; /* one per thread */
    dl_replace_space replace;
} ksvd;

static int64_t length(const dltf_learner *l) {
    return l->options.iterations;
}

static dltf_status admit(const dltf_learner *l) {
    if (l->N > INT32_MAX)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "%lld samples: ksvd supports at most 2,147,483,647", (long long)l->N);
    if (dl_comm_size() > 1)
        return dl_fail_option(
            DLTF_ARGUMENT, "method",
            "ksvd updates one atom after the other with all samples: run it as one process");
    return DLTF_OK;
}

static double bytes(const dltf_learner *l) {
    double m = (double)l->m, n = (double)l->n, N = (double)l->N, k = (double)l->k;
    return N * (4 * n + 16 * k + 16) + 12 * m * n + (double)l->threads * 4 * m * (3 * k + DL_TILE);
}

static int64_t work(const dltf_learner *l) {
    return DL_ALGEBRA_WORK + l->N;
}

static dltf_status create(dltf_learner *l, void **state) {
    dltf_status status = DLTF_OK;
    ksvd *s = NULL;
    DL_TRY_NEW(s, 1);
    *state = s;
    s->threads = l->threads;
    DL_TRY_NEW(s->R, l->N * l->n);
    DL_TRY(dl_slots_alloc(&s->Z, l->N, l->k));
    DL_TRY_NEW(s->atoms, l->m * l->n);
    DL_TRY_NEW(s->W, l->m * l->n);
    DL_TRY_NEW(s->code_sum, l->m);
    DL_TRY_NEW(s->row, l->threads * dl_apart(l->n));
    DL_TRY_NEW(s->use, l->m);
    DL_TRY(dl_by_atom_alloc(&s->by_atom, l->m, l->N * l->k));
    DL_TRY(dl_rank_one_alloc(&s->rank_one, l->threads, l->n, l->N));
    DL_TRY_NEW(s->spaces, l->threads);
    for (int t = 0; t < l->threads; t++)
        DL_TRY(dl_omp_space_alloc(&s->spaces[t], l->m, l->k));
    DL_TRY(dl_replace_space_alloc(&s->replace, l->m, l->n, l->N));
done:
    return status;
}

static void free_state(void *state) {
    ksvd *s = state;
    dl_free(s->R);
    dl_slots_free(&s->Z);
    dl_free(s->atoms);
    dl_free(s->W);
    dl_free(s->code_sum);
    dl_free(s->row);
    dl_free(s->use);
    dl_by_atom_free(&s->by_atom);
    dl_rank_one_free(&s->rank_one);
    for (int t = 0; s->spaces && t < s->threads; t++)
        dl_omp_space_free(&s->spaces[t]);
    dl_free(s->spaces);
    dl_replace_space_free(&s->replace);
    dl_free(s);
}

/* ---- Codes ---- */

typedef struct coding {
    const dltf_learner *l;
    ksvd *s;
} coding;

/* Z by OMP, R = X - WZ. */
static void code_tile(void *context, int64_t tile, int worker) {
    const dltf_learner *l = ((const coding *)context)->l;
    ksvd *s = ((const coding *)context)->s;
    int64_t n = l->n, first = tile * DL_TILE, rows = l->N - first < DL_TILE ? l->N - first : DL_TILE;
    dl_omp omp = {&l->W32, l->G32, l->k, l->options.error * l->samples.scale * l->samples.scale};
    dl_slots Z = dl_slots_from(&s->Z, first, rows);
    float *R = s->R + first * n;
    for (int64_t i = 0; i < rows; i++)
        dl_samples_row(&l->samples, dl_holdout_training(&l->holdout, first + i),
                       s->row + worker * dl_apart(n), R + i * n);
    dl_omp_tile(&omp, R, n, rows, &s->spaces[worker], Z);
    for (int64_t i = 0; i < rows; i++)
        dl_decode32(R + i * n, DL_SUBTRACT, s->atoms, n, dl_slots_code(&Z, i));
}

static bool code_samples(const dltf_learner *l, ksvd *s) {
    coding context = {l, s};
    for (int64_t i = 0; i < l->m * l->n; i++)
        s->atoms[i] = (float)l->W[i];
    return dl_parallel_polled(l->threads, dl_tiles(l->N, DL_TILE), code_tile, &context);
}

/* ---- The iteration ---- */

static bool update_atoms(dltf_learner *l, ksvd *s) {
    size_t size = (size_t)(l->m * l->n) * sizeof *s->W;
    int steps = l->options.update == DLTF_UPDATE_EXACT ? DL_RANK_ONE_EXACT : DL_RANK_ONE_APPROXIMATE;
    memcpy(s->W, l->W, size);
    dl_by_atom_sort(&s->by_atom, s->Z);
    for (int64_t j = 0; j < l->m; j++) {
        if (!dl_poll())
            return false;
        dl_atom_entries entries = dl_by_atom_of(&s->by_atom, j);
        dl_rank_one_update(&s->rank_one, steps, s->R, s->Z, entries, s->W + j * l->n);
        s->use[j] = (double)entries.count;
        s->code_sum[j] = 0;
        for (int64_t e = 0; e < entries.count; e++)
            s->code_sum[j] += (double)s->Z.value[entries.entry[e]];
    }
    memcpy(l->W, s->W, size);
    memcpy(l->code_sum, s->code_sum, (size_t)l->m * sizeof *s->code_sum);
    return true;
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    ksvd *s = state;
    double sum = 0;
    if (!code_samples(l, s) || !update_atoms(l, s))
        return DLTF_CANCELLED;
    for (int64_t i = 0; i < l->N; i++)
        sum += dl_kernels_now()->square(s->R + i * l->n, l->n);
    record->theta = 1;
    record->data_term = record->objective = l->weight / 2 * sum;
    record->relative_error = sum / ((double)l->N * (double)l->k); /* mean ||x||^2 = k */
    dl_learner_refresh(l);
    dl_learner_describe(l, record);
    if (index + 1 < l->options.iterations) { /* later there is no iteration to fit new atoms */
        dl_residual_rows rows = {s->R, l->n};
        record->atoms_replaced =
            dl_learner_replace_by(l, s->use, l->N, index, dl_residual_row, &rows, &s->replace);
    }
    return DLTF_OK;
}

/* The objective has settled, and no atom was replaced. */
static bool converged(const dltf_learner *l, const dltf_iteration *now, const dltf_iteration *before) {
    double tolerance = l->options.tolerance;
    return tolerance > 0 && before && now->atoms_replaced + before->atoms_replaced == 0 &&
           fabs(now->objective - before->objective) <= tolerance * now->objective;
}

const dl_stage dl_stage_ksvd = {
    .name = "ksvd",
    .columns = DL_THETA | DL_OBJECTIVE | DL_DATA_TERM | DL_RELATIVE_ERROR | DL_COHERENCE | DL_FRAME_POTENTIAL,
    .diverged = "rescale the data",
    .saving = "use fewer samples or lower m",
    .needs_gram = true,
    .length = length,
    .admit = admit,
    .bytes = bytes,
    .work = work,
    .create = create,
    .iterate = iterate,
    .converged = converged,
    .free = free_state,
};
