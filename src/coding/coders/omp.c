/* Batch-OMP on orthonormal directions. With q_0, q_1, ... the Gram-Schmidt directions of the chosen atoms,
 * the scores alpha = W^T r of the residual change by one row per step:
 *
 *     d_s = W^T q_s = (G_j - sum_{t<s} l_t d_t) / norm,   l_t = <q_t, w_j> = d_t[j],   norm^2 = 1 - sum l_t^2
 *     alpha <- alpha - c_s d_s,   c_s = alpha[j] / norm,   ||r||^2 <- ||r||^2 - c_s^2
 *
 * The l_t are the rows of the Cholesky factor L of G_SS, so that values need one triangular solve at the end
 * instead of two in every step. */
#include "coding/coders/omp.h"

#include "base/memory.h"
#include "base/meter.h"
#include "coding/coder.h"
#include "coding/coders/omp_ahead.h"
#include "coding/coders/omp_large.h"
#include "data/model.h"

dltf_status dl_omp_space_alloc(dl_omp_space *space, int64_t m, int64_t k) {
    return dl_omp_space_alloc_rows(space, dl_score_rows(m), m, k);
}

dltf_status dl_omp_space_alloc_rows(dl_omp_space *space, int64_t rows, int64_t m, int64_t k) {
    dltf_status status = DLTF_OK;
    *space = (dl_omp_space){0};
    DL_TRY_NEW(space->scores, rows * m);
    DL_TRY_NEW(space->D, k * m);
    DL_TRY_NEW(space->L, k * k);
    DL_TRY_NEW(space->norm, k);
    DL_TRY_NEW(space->c, k);
    DL_TRY_NEW(space->support, k);
    DL_TRY_NEW(space->place, m);
    space->looks_ahead = dl_omp_ahead_pays(m, k);
    if (space->looks_ahead)
        DL_TRY(dl_omp_ahead_alloc(&space->ahead, m, k));
done:
    return status; /* on failure the owner frees what was allocated */
}

void dl_omp_space_free(dl_omp_space *space) {
    dl_free(space->scores);
    dl_free(space->D);
    dl_free(space->L);
    dl_free(space->norm);
    dl_free(space->c);
    dl_free(space->support);
    dl_free(space->place);
    dl_omp_ahead_free(&space->ahead);
}

/* The support of one sample with scores alpha, which become those of the residual; returns its size. */
static int64_t pursue(const dl_omp *omp, float *alpha, dl_omp_progress p, dl_omp_space *s) {
    const dl_kernels *kernels = dl_kernels_now();
    int64_t m = omp->W->m, k = omp->k;
    for (int64_t count = 0; count < k; count++) {
        int64_t j = kernels->largest(alpha, m);
        const float *g = omp->G + j * m;
        float *l = s->L + count * k;
        for (int64_t t = 0; t < count; t++)
            l[t] = s->D[t * m + j];
        if (!dl_omp_step(&p, alpha[j], g[j], l, count, &s->norm[count], &s->c[count]))
            return count;
        s->support[count] = (int32_t)j;
        if (count + 1 < k)
            kernels->pursue(g, s->D, count, m, l, (float)(1 / s->norm[count]), (float)s->c[count], alpha);
    }
    return k;
}

/* L^T z = c, in place; rows of L are `stride` apart. */
static void solve(const float *L, int64_t stride, const double *norm, int64_t count, double *c) {
    for (int64_t s = count - 1; s >= 0; s--) {
        const float *l = L + s * stride;
        c[s] /= norm[s];
        for (int64_t t = 0; t < s; t++)
            c[t] -= (double)l[t] * c[s];
    }
}

/* Scores and what is made of them are finite below this energy, as looking ahead assumes. */
static const double MOST_ENERGY = 1e30;

static int64_t code(const dl_omp *omp, float *alpha, double energy, dl_omp_space *s) {
    dl_omp_progress p = dl_omp_begin(omp, energy);
    bool ahead = s->looks_ahead && dl_kernels_now()->pursue_ahead && energy < MOST_ENERGY &&
                 !dl_omp_ahead_rests(&s->ahead);
    int64_t count = ahead ? dl_omp_ahead(omp, alpha, p, s) : pursue(omp, alpha, p, s);
    if (ahead)
        solve(s->ahead.L, s->ahead.room, s->norm, count, s->c);
    else
        solve(s->L, omp->k, s->norm, count, s->c);
    return count;
}

/* Insertion takes about count^2 / 4 moves, looking at all atoms takes m steps. */
enum { MANY = 4 };

/* In ascending order of atoms; s->place holds m zeros. Returns the number of entries. */
static int64_t write_code(const dl_omp_space *s, int64_t m, int64_t count, int32_t *index, float *value) {
    if (count * count < MANY * m) {
        for (int64_t e = 0; e < count; e++) {
            index[e] = s->support[e];
            value[e] = (float)s->c[e];
        }
        dl_code_sort(index, value, count);
        return count;
    }
    for (int64_t e = 0; e < count; e++)
        s->place[s->support[e]] = (int32_t)e + 1;
    int64_t found = 0; /* fewer if rounding made an atom be chosen twice */
    for (int64_t j = 0; j < m && found < count; j++) {
        index[found] = (int32_t)j; /* without branches: overwritten if j is not in the support */
        found += s->place[j] != 0;
    }
    for (int64_t e = 0; e < found; e++) {
        value[e] = (float)s->c[s->place[index[e]] - 1];
        s->place[index[e]] = 0;
    }
    return found;
}

void dl_omp_tile(const dl_omp *omp, const float *X, int64_t x_stride, int64_t rows, dl_omp_space *space,
                 dl_slots out) {
    const dl_kernels *kernels = dl_kernels_now();
    int64_t m = omp->W->m, chunk = dl_score_rows(m);
    for (int64_t i = 0; i < rows && dl_poll(); i++) {
        float *alpha = space->scores + i % chunk * m;
        if (i % chunk == 0)
            kernels->scores(omp->W, 0, omp->W->panels, X + i * x_stride, x_stride,
                            rows - i < chunk ? rows - i : chunk, space->scores, m);
        int64_t count = code(omp, alpha, kernels->square(X + i * x_stride, omp->W->n), space);
        out.count[i] = (int32_t)write_code(space, m, count, out.index + i * out.k, out.value + i * out.k);
    }
}

/* ---- The coder ---- */

typedef struct omp_state {
    dl_omp omp;
    dl_omp_large large;
    const dl_packed *W;
    const float *G;                   /* NULL: too large */
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
    dl_free(o);
}

static dltf_status prepare_small(const dl_recipe *recipe, omp_state *o) {
    dltf_status status = DLTF_OK;
    DL_TRY(dl_derive_gram(recipe, &o->G));
    o->omp = (dl_omp){o->W, o->G, recipe->feature.k, recipe->options.error};
    DL_TRY_NEW(o->spaces, o->threads);
    for (int t = 0; t < o->threads; t++)
        DL_TRY(dl_omp_space_alloc_rows(&o->spaces[t], dl_recipe_score_rows(recipe), recipe->model->parts.m,
                                       recipe->feature.k));
done:
    return status;
}

static dltf_status prepare_large(const dl_recipe *recipe, omp_state *o) {
    dltf_status status = DLTF_OK;
    o->large = (dl_omp_large){recipe->model->dictionary, o->W, recipe->feature.k, recipe->options.error};
    DL_TRY_NEW(o->large_spaces, o->threads);
    for (int t = 0; t < o->threads; t++)
        DL_TRY(dl_omp_large_space_alloc(&o->large_spaces[t], recipe->rows, recipe->model->parts.n,
                                        recipe->feature.k));
done:
    return status;
}

static dltf_status prepare(const dl_recipe *recipe, void **state) {
    dltf_status status = DLTF_OK;
    omp_state *o = NULL;
    DL_TRY_NEW(o, 1);
    o->threads = recipe->workers;
    DL_TRY(dl_derive_atoms(recipe, &o->W));
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
