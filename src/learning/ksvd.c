/* K-SVD (Aharon, Elad, Bruckstein 2006):   min ||X - WZ||^2  s.t. ||z_i||_0 <= k, ||w_j|| = 1
 *
 * An iteration codes all samples by Batch-OMP, then takes the atoms one after the other. With R = X - WZ and
 * E the columns of R + w_j z_j that use atom j, the atom and its coefficients become the best rank-one fit
 * w_j z_j to E, the supports stay. Called by the learner in learner.c. The only state that an iteration
 * leaves is W: codes and residuals are made anew. */
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/omp.h"
#include "kernels/kernels.h"
#include "learning/learner.h"
#include "learning/replace.h"

dltf_status dl_ksvd_alloc(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    dl_ksvd *s = &l->ksvd;
    if (l->N > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "ksvd: %lld samples are too many, 2,147,483,647 are possible",
                       (long long)l->N);
    DL_TRY_NEW(s->R, l->N * l->n);
    DL_TRY(dl_rank_one_alloc(&s->rank_one, l->threads, l->n, l->N));
    DL_TRY_NEW(s->use, l->m);
    DL_TRY_NEW(s->spaces, l->threads);
    for (int t = 0; t < l->threads; t++)
        DL_TRY(dl_omp_space_alloc(&s->spaces[t], l->m, l->k));
done:
    return status; /* the learner frees what is there */
}

void dl_ksvd_free(dltf_learner *l) {
    dl_ksvd *s = &l->ksvd;
    for (int t = 0; s->spaces && t < l->threads; t++)
        dl_omp_space_free(&s->spaces[t]);
    dl_free(s->spaces);
    dl_free(s->R);
    dl_rank_one_free(&s->rank_one);
    dl_free(s->use);
    *s = (dl_ksvd){0};
}

/* ---- Codes ---- */

/* r += scale w in f32. */
static void add(float *r, float scale, const float *w, int64_t n) {
    for (int64_t d = 0; d < n; d++)
        r[d] += scale * w[d];
}

/* Z by OMP, R = X - WZ. The atoms in f32 are in l->narrow since the last refresh. */
static void code_tile(void *context, int64_t tile, int worker) {
    dltf_learner *l = context;
    int64_t n = l->n, first = tile * DL_TILE, rows = l->N - first < DL_TILE ? l->N - first : DL_TILE;
    dl_omp omp = {&l->W32, l->G32, l->k, l->options.error * l->samples.scale * l->samples.scale};
    dl_slots Z = dl_slots_from(&l->Z, first, rows);
    float *R = l->ksvd.R + first * n;
    for (int64_t i = 0; i < rows; i++)
        dl_samples_row(&l->samples, first + i, l->rows + worker * n, R + i * n);
    dl_omp_tile(&omp, R, n, rows, &l->ksvd.spaces[worker], Z);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t e = i * Z.k; e < i * Z.k + Z.count[i]; e++)
            add(R + i * n, -Z.value[e], l->narrow + Z.index[e] * n, n);
}

/* ---- The iteration ---- */

static void update_atoms(dltf_learner *l) {
    dl_by_atom *by_atom = &l->statistics.by_atom;
    int steps = l->options.update == DLTF_UPDATE_EXACT ? DL_RANK_ONE_EXACT : DL_RANK_ONE_APPROXIMATE;
    dl_by_atom_sort(by_atom, l->Z);
    for (int64_t j = 0; j < l->m; j++) {
        dl_atom_entries entries = dl_by_atom_of(by_atom, j);
        dl_rank_one_update(&l->ksvd.rank_one, steps, l->ksvd.R, l->Z, entries, l->W + j * l->n);
        l->ksvd.use[j] = (double)entries.count;
        l->code_sum[j] = 0;
        for (int64_t e = 0; e < entries.count; e++)
            l->code_sum[j] += (double)l->Z.value[entries.entry[e]];
    }
}

void dl_ksvd_iteration(dltf_learner *l, int64_t index, dltf_iteration *record) {
    double sum = 0;
    dl_parallel(l->threads, dl_tiles(l->N, DL_TILE), code_tile, l);
    update_atoms(l);
    for (int64_t i = 0; i < l->N; i++)
        sum += dl_kernels_now()->square(l->ksvd.R + i * l->n, l->n);
    record->theta = 1;
    record->data_term = record->objective = l->weight / 2 * sum;
    record->relative_error = sum / ((double)l->N * (double)l->k); /* by the scale of the samples */
    dl_learner_refresh(l);
    dl_learner_describe(l, record);
    /* Not in the end: an atom that is put in needs an iteration to settle. */
    if (index + 1 < l->options.iterations) {
        dl_residual_rows rows = {l->ksvd.R, l->n};
        record->atoms_replaced = dl_replace_by(l, l->ksvd.use, l->N, index, dl_residual_row, &rows);
    }
}
