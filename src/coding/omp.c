/* Batch-OMP on orthonormal directions. With q_0, q_1, ... the Gram-Schmidt directions of the chosen atoms,
 * the scores alpha = W^T r of the residual change by one row per step:
 *
 *     d_s = W^T q_s = (G_j - sum_{t<s} l_t d_t) / norm,   l_t = <q_t, w_j> = d_t[j],   norm^2 = 1 - sum l_t^2
 *     alpha <- alpha - c_s d_s,   c_s = alpha[j] / norm,   ||r||^2 <- ||r||^2 - c_s^2
 *
 * The l_t are the rows of the Cholesky factor L of G_SS, so that values need one triangular solve at the end
 * instead of two in every step. */
#include "coding/omp.h"

#include "base/memory.h"
#include "coding/coder.h"
#include "coding/omp_large.h"
#include "data/model.h"

#include <math.h>

/* Squared distance from the span of the chosen atoms below which an atom counts as dependent; limited by G,
 * which is rounded to f32. */
static const double DEPENDENT = 1e-5;

dltf_status dl_omp_space_alloc(dl_omp_space *space, int64_t m, int64_t k) {
    dltf_status status = DLTF_OK;
    *space = (dl_omp_space){0};
    DL_TRY_NEW(space->scores, dl_score_rows(m) * m);
    DL_TRY_NEW(space->D, k * m);
    DL_TRY_NEW(space->l, k);
    DL_TRY_NEW(space->L, k * k);
    DL_TRY_NEW(space->c, k);
    DL_TRY_NEW(space->support, k);
done:
    return status; /* on failure the owner frees what was allocated */
}

void dl_omp_space_free(dl_omp_space *space) {
    dl_free(space->scores);
    dl_free(space->D);
    dl_free(space->l);
    dl_free(space->L);
    dl_free(space->c);
    dl_free(space->support);
}

/* The support of one sample with scores alpha, which become those of the residual; returns its size. */
static int64_t pursue(const dl_omp *omp, float *alpha, double energy, dl_omp_space *s) {
    const dl_kernels *kernels = dl_kernels_now();
    int64_t m = omp->W->m, k = omp->k, count = 0, j = kernels->largest(alpha, m);
    double enough = omp->error - DL_OMP_ERROR_ROUNDING * energy;
    double negligible =
        isfinite(energy) ? DL_OMP_ROUNDING * sqrt(energy) : 0; /* infinity must reach the code */
    while (!(omp->error > 0 && energy <= enough) && !(fabs((double)alpha[j]) <= negligible)) {
        const float *g = omp->G + j * m;
        double *row = s->L + count * k, square = (double)g[j];
        for (int64_t t = 0; t < count; t++) {
            s->l[t] = s->D[t * m + j];
            row[t] = (double)s->l[t];
            square -= row[t] * row[t];
        }
        if (square < DEPENDENT)
            break;
        double norm = sqrt(square), c = (double)alpha[j] / norm;
        row[count] = norm;
        s->c[count] = c;
        s->support[count++] = (int32_t)j;
        energy -= c * c;
        if (count == k)
            break;
        kernels->pursue(g, s->D, count - 1, m, s->l, (float)(1 / norm), (float)c, alpha);
        j = kernels->largest(alpha, m);
    }
    return count;
}

/* L^T z = c, in place. */
static void solve(const double *L, int64_t k, int64_t count, double *c) {
    for (int64_t s = count - 1; s >= 0; s--) {
        c[s] /= L[s * k + s];
        for (int64_t t = 0; t < s; t++)
            c[t] -= L[s * k + t] * c[s];
    }
}

static void write_code(const dl_omp_space *s, int64_t count, int32_t *index, float *value) {
    for (int64_t e = 0; e < count; e++) {
        index[e] = s->support[e];
        value[e] = (float)s->c[e];
    }
    dl_code_sort(index, value, count);
}

void dl_omp_tile(const dl_omp *omp, const float *X, int64_t x_stride, int64_t rows, dl_omp_space *space,
                 dl_slots out) {
    const dl_kernels *kernels = dl_kernels_now();
    int64_t m = omp->W->m, chunk = dl_score_rows(m);
    for (int64_t i = 0; i < rows; i++) {
        float *alpha = space->scores + i % chunk * m;
        if (i % chunk == 0)
            kernels->scores(omp->W, 0, omp->W->panels, X + i * x_stride, x_stride,
                            rows - i < chunk ? rows - i : chunk, space->scores, m);
        int64_t count = pursue(omp, alpha, kernels->square(X + i * x_stride, omp->W->n), space);
        solve(space->L, omp->k, count, space->c);
        write_code(space, count, out.index + i * out.k, out.value + i * out.k);
        out.count[i] = (int32_t)count;
    }
}

/* ---- The coder ---- */

typedef struct omp_state {
    dl_omp omp;
    dl_omp_large large;
    dl_packed W;
    float *G;                         /* NULL: too large */
    dl_omp_space *spaces;             /* one of these */
    dl_omp_large_space *large_spaces; /* per thread */
    int threads;
} omp_state;

static void free_state(void *state) {
    omp_state *o = state;
    for (int t = 0; o->spaces && t < o->threads; t++)
        dl_omp_space_free(&o->spaces[t]);
    for (int t = 0; o->large_spaces && t < o->threads; t++)
        dl_omp_large_space_free(&o->large_spaces[t]);
    dl_free(o->spaces);
    dl_free(o->large_spaces);
    dl_packed_free(&o->W);
    dl_free(o->G);
    dl_free(o);
}

static dltf_status prepare_small(const dl_recipe *recipe, omp_state *o) {
    dltf_status status = DLTF_OK;
    const dltf_model_view *parts = &recipe->model->parts;
    DL_TRY(dl_gram_new(recipe->threads, recipe->model->dictionary, parts->m, parts->n, &o->G));
    o->omp = (dl_omp){&o->W, o->G, recipe->feature.k, recipe->options.error};
    DL_TRY_NEW(o->spaces, o->threads);
    for (int t = 0; t < o->threads; t++)
        DL_TRY(dl_omp_space_alloc(&o->spaces[t], parts->m, recipe->feature.k));
done:
    return status;
}

static dltf_status prepare_large(const dl_recipe *recipe, omp_state *o) {
    dltf_status status = DLTF_OK;
    o->large = (dl_omp_large){recipe->model->dictionary, &o->W, recipe->feature.k, recipe->options.error};
    DL_TRY_NEW(o->large_spaces, o->threads);
    for (int t = 0; t < o->threads; t++)
        DL_TRY(dl_omp_large_space_alloc(&o->large_spaces[t], recipe->model->parts.n, recipe->feature.k));
done:
    return status;
}

static dltf_status prepare(const dl_recipe *recipe, void **state) {
    dltf_status status = DLTF_OK;
    omp_state *o = NULL;
    DL_TRY_NEW(o, 1);
    o->threads = recipe->threads;
    DL_TRY(dl_dictionary_pack(recipe->model, &o->W));
    DL_TRY(dl_gram_fits(recipe->model->parts.m) ? prepare_small(recipe, o) : prepare_large(recipe, o));
    *state = o;
    o = NULL;
done:
    if (o)
        free_state(o);
    return status;
}

static void tile(const dl_recipe *recipe, void *state, int worker, const float *X, int64_t x_stride,
                 int64_t rows, dl_workspace *space, dl_slots out) {
    (void)recipe;
    omp_state *o = state;
    if (o->G)
        dl_omp_tile(&o->omp, X, x_stride, rows, &o->spaces[worker], out);
    else
        dl_omp_large_tile(&o->large, X, x_stride, rows, &o->large_spaces[worker], space, out);
}

const dl_coder dl_coder_omp = {.name = "omp", .prepare = prepare, .tile = tile, .free = free_state};
