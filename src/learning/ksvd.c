/* K-SVD (Aharon, Elad, Bruckstein 2006):   min ||X - WZ||^2  s.t. ||z_i||_0 <= k, ||w_j|| = 1
 *
 * An iteration codes all samples by Batch-OMP, then takes the atoms one after the other. With R = X - WZ and
 * E the columns of R + w_j z_j that use atom j, the atom and its coefficients become the best rank-one fit
 * w_j z_j to E, the supports stay. Called by the learner in learner.c. The only state that an iteration
 * leaves is W: codes and residuals are made anew. */
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/omp.h"
#include "data/matrix.h"
#include "kernels/kernels.h"
#include "learning/learner.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 1024, /* samples of an atom that one task takes; fixed, or results would depend on the threads */
    MOST_PASSES = 50
};
static const double SETTLED = 1e-8; /* growth of ||z||^2, relative, that ends the power iteration */

dltf_status dl_ksvd_alloc(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    dl_ksvd *s = &l->ksvd;
    if (l->N > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "ksvd: %lld samples are too many, 2,147,483,647 are possible",
                       (long long)l->N);
    DL_TRY_NEW(s->R, l->N * l->n);
    DL_TRY_NEW(s->row, l->N);
    DL_TRY_NEW(s->z, l->N);
    DL_TRY_NEW(s->w, l->n);
    DL_TRY_NEW(s->v, dl_tiles(l->N, BLOCK) * l->n);
    DL_TRY_NEW(s->sums, dl_tiles(l->N, BLOCK));
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
    dl_free(s->row);
    dl_free(s->z);
    dl_free(s->w);
    dl_free(s->v);
    dl_free(s->sums);
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

/* ---- One atom ---- */

/* What the tasks over the samples of an atom share. */
typedef struct atom {
    dltf_learner *l;
    int64_t j, count;
    const int64_t *entry; /* places of its coefficients in Z */
} atom;

typedef struct span {
    int64_t first, last;
    double *v;
} span;

static span block_of(const atom *a, int64_t block) {
    int64_t last = (block + 1) * BLOCK;
    double *v = a->l->ksvd.v + block * a->l->n;
    memset(v, 0, (size_t)a->l->n * sizeof *v);
    return (span){block * BLOCK, last < a->count ? last : a->count, v};
}

/* R becomes E for the samples of the atom; v = sum z_i e_i. */
static void open_block(void *context, int64_t block, int worker) {
    (void)worker;
    const atom *a = context;
    dltf_learner *l = a->l;
    span s = block_of(a, block);
    for (int64_t i = s.first; i < s.last; i++) {
        int64_t row = a->entry[i] / l->k;
        float z = l->Z.value[a->entry[i]], *r = l->ksvd.R + row * l->n;
        l->ksvd.row[i] = (int32_t)row;
        l->ksvd.z[i] = z;
        add(r, z, l->narrow + a->j * l->n, l->n);
        dl_kernels_now()->add_scaled(s.v, z, r, l->n);
    }
}

/* z = E^T w, v = E z. */
static void power_block(void *context, int64_t block, int worker) {
    (void)worker;
    const atom *a = context;
    dl_ksvd *k = &a->l->ksvd;
    span s = block_of(a, block);
    k->sums[block] = dl_kernels_now()->project_rows(k->R, a->l->n, k->row + s.first, s.last - s.first, k->w,
                                                    k->z + s.first, s.v);
}

/* E becomes R again, with the new atom and coefficients. */
static void close_block(void *context, int64_t block, int worker) {
    (void)worker;
    const atom *a = context;
    dltf_learner *l = a->l;
    span s = block_of(a, block);
    for (int64_t i = s.first; i < s.last; i++) {
        l->Z.value[a->entry[i]] = l->ksvd.z[i];
        add(l->ksvd.R + l->ksvd.row[i] * l->n, -l->ksvd.z[i], l->narrow + a->j * l->n, l->n);
    }
}

/* w = v / ||v||, with the parts of v added in order; false if there is nothing to normalise. */
static bool take_direction(const atom *a) {
    dl_ksvd *k = &a->l->ksvd;
    int64_t n = a->l->n;
    for (int64_t block = 1; block < dl_tiles(a->count, BLOCK); block++)
        for (int64_t d = 0; d < n; d++)
            k->v[d] += k->v[block * n + d];
    if (!dl_normalise(k->v, n))
        return false;
    memcpy(k->w, k->v, (size_t)n * sizeof *k->w);
    return true;
}

/* The rank-one fit by power iteration from the present coefficients; no step of it raises the error. One step
 * is the approximate update (Rubinstein et al. 2008), iterated to the end it is that of the SVD. */
static void update_atom(atom *a) {
    dltf_learner *l = a->l;
    int64_t blocks = dl_tiles(a->count, BLOCK);
    int most = l->options.update == DLTF_UPDATE_EXACT ? MOST_PASSES : 1;
    double before = 0;
    if (a->count == 0)
        return; /* nothing to fit */
    dl_parallel(l->threads, blocks, open_block, a);
    for (int pass = 0; pass < most && take_direction(a); pass++) {
        double square = 0;
        dl_parallel(l->threads, blocks, power_block, a);
        for (int64_t block = 0; block < blocks; block++)
            square += l->ksvd.sums[block];
        for (int64_t d = 0; d < l->n; d++) {
            l->W[a->j * l->n + d] = l->ksvd.w[d];
            l->narrow[a->j * l->n + d] = (float)l->ksvd.w[d];
        }
        if (square - before <= SETTLED * square)
            break;
        before = square;
    }
    dl_parallel(l->threads, blocks, close_block, a);
}

/* ---- The iteration ---- */

static void update_atoms(dltf_learner *l) {
    dl_statistics *s = &l->statistics;
    dl_statistics_sort(s, l->Z);
    for (int64_t j = 0; j < l->m; j++) {
        atom a = {l, j, s->start[j + 1] - s->start[j], s->entry + s->start[j]};
        update_atom(&a);
        l->ksvd.use[j] = (double)a.count;
        l->code_sum[j] = 0;
        for (int64_t i = 0; i < a.count; i++)
            l->code_sum[j] += (double)l->ksvd.z[i];
    }
}

static double residual(dltf_learner *l, int64_t i) {
    for (int64_t d = 0; d < l->n; d++)
        l->residual[d] = (double)l->ksvd.R[i * l->n + d];
    return dl_kernels_now()->square(l->ksvd.R + i * l->n, l->n);
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
    if (index + 1 < l->options.iterations)
        record->atoms_replaced = dl_replace_by(l, l->ksvd.use, l->N, index, residual);
}
