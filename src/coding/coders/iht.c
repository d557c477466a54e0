/* Iterative hard thresholding as a coder:
 *
 *     min ||x - Wz||^2  s.t. ||z||_0 <= k (and z >= 0 with positive selection)
 *     z <- max_k(z + mu W^T(x - Wz))
 *
 * from z = 0. iht uses mu = 1/lambda_max(G), for which no pass increases the error. niht (Blumensath & Davies
 * 2010) uses the best mu for the current support and, if the support changes, shortens it until the error is
 * guaranteed to decrease. Both stop after recipe->options.passes, or when the change is below f32 precision.
 */
#include "base/memory.h"
#include "base/meter.h"
#include "coding/coder.h"
#include "data/matrix.h"
#include "data/model.h"
#include "kernels/select.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { PASSES = 100 };
static const double TOLERANCE = 1e-6; /* change of z, relative to z, that ends the passes */
/* The eigenvalue is accurate to one percent; also the 1 - c of Blumensath & Davies. */
static const double SAFETY = 0.99;
static const double BACKTRACK = 0.51; /* factor of the step while the error might increase */

/* Work space of one thread. A code is `count` entries index, value. */
typedef struct iht_space {
    float *B;          /* W^T x of up to dl_score_rows(m) samples */
    float *p, *p_next; /* Gz - W^T x, before and after a pass */
    float *u;
    uint32_t *keys;
    int32_t *index_next;
    float *value_next;
} iht_space;

typedef struct iht_state {
    const dl_packed *W;
    const float *G;
    double step; /* SAFETY / lambda_max(G) */
    int64_t passes, k;
    bool positive, normalised;
    iht_space *spaces;
    int threads;
} iht_state;

static void free_state(void *state) {
    iht_state *h = state;
    for (int t = 0; h->spaces && t < h->threads; t++) {
        iht_space *s = &h->spaces[t];
        float *floats[] = {s->B, s->p, s->p_next, s->u, s->value_next};
        for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
            dl_free(floats[i]);
        dl_free(s->keys);
        dl_free(s->index_next);
    }
    dl_free(h->spaces);
    dl_free(h);
}

typedef struct eigenvalue {
    dl_derived base;
    double sigma;
} eigenvalue;

static void free_eigenvalue(dl_derived *derived) {
    dl_free(derived);
}

/* lambda_max(W^T W) from the smaller of W^T W and W W^T. */
static dltf_status make_eigenvalue(const void *context, dl_derived **made) {
    const dl_recipe *recipe = context;
    dltf_status status = DLTF_OK;
    eigenvalue *found = NULL;
    int64_t m = recipe->model->parts.m, n = recipe->model->parts.n, size = m < n ? m : n;
    double *W = NULL, *A = NULL, *scratch = NULL;
    DL_TRY(dl_blas_ready(recipe->threads));
    DL_TRY(dl_widen(recipe->model->dictionary, m * n, &W));
    DL_TRY_NEW(A, size * size);
    DL_TRY_NEW(scratch, (DL_LANCZOS_STEPS + 1) * size);
    if (m < n)
        dl_gemm(recipe->threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, W, W, 0, A);
    else
        dl_gemm(recipe->threads, DL_TRANSPOSED, DL_PLAIN, n, n, m, 1, W, W, 0, A);
    DL_TRY_NEW(found, 1);
    *found = (eigenvalue){{free_eigenvalue}, dl_largest_eigenvalue(A, size, scratch)};
    *made = &found->base;
done:
    dl_free(W);
    dl_free(A);
    dl_free(scratch);
    return status;
}

static dltf_status alloc_space(iht_space *s, int64_t rows, int64_t m, int64_t k) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(s->B, rows * m);
    DL_TRY_NEW(s->p, m);
    DL_TRY_NEW(s->p_next, m);
    DL_TRY_NEW(s->u, m);
    DL_TRY_NEW(s->keys, m);
    DL_TRY_NEW(s->index_next, k);
    DL_TRY_NEW(s->value_next, k);
done:
    return status;
}

static dltf_status prepare(const dl_recipe *recipe, bool normalised, void **state) {
    dltf_status status = DLTF_OK;
    iht_state *h = NULL;
    const dl_derived *largest = NULL;
    DL_TRY_NEW(h, 1);
    h->threads = recipe->workers;
    h->passes = recipe->options.passes > 0 ? recipe->options.passes : PASSES;
    h->k = recipe->feature.k;
    h->positive = recipe->feature.positive;
    h->normalised = normalised;
    DL_TRY(dl_derive_atoms(recipe, &h->W));
    DL_TRY(dl_derive_gram(recipe, &h->G));
    DL_TRY(dl_model_derive(recipe->model, DL_DERIVED_EIGENVALUE, make_eigenvalue, recipe, &largest));
    h->step = SAFETY / ((const eigenvalue *)largest)->sigma;
    DL_TRY_NEW(h->spaces, h->threads);
    for (int t = 0; t < h->threads; t++)
        DL_TRY(alloc_space(&h->spaces[t], dl_recipe_score_rows(recipe), recipe->model->parts.m, h->k));
    *state = h;
    h = NULL;
done:
    if (h)
        free_state(h);
    return status;
}

static dltf_status prepare_iht(const dl_recipe *recipe, void **state) {
    return prepare(recipe, false, state);
}

static dltf_status prepare_niht(const dl_recipe *recipe, void **state) {
    return prepare(recipe, true, state);
}

/* The best step while the support does not change: ||g_S||^2 / ||W_S g_S||^2 with g = -p. */
static double best_step(const iht_state *h, const float *p, const int32_t *S, int64_t count) {
    double above = 0, below = 0;
    for (int64_t e = 0; e < count; e++) {
        const float *g = h->G + S[e] * h->W->m;
        double row = 0;
        for (int64_t f = 0; f < count; f++)
            row += (double)g[S[f]] * (double)p[S[f]];
        above += (double)p[S[e]] * (double)p[S[e]];
        below += (double)p[S[e]] * row;
    }
    return below > 0 ? above / below : h->step;
}

typedef struct change {
    double square, image; /* ||d||^2 and ||Wd||^2 = <d, p' - p> of d = z' - z */
    bool same_support;
} change;

static void add_change(change *d, double difference, const iht_space *s, int32_t j) {
    d->square += difference * difference;
    d->image += difference * ((double)s->p_next[j] - (double)s->p[j]);
}

/* Of two codes with ascending indices. */
static change compare(const iht_space *s, const int32_t *index, const float *value, int64_t count,
                      int64_t next) {
    change d = {.same_support = count == next};
    int64_t e = 0, f = 0;
    while (e < count || f < next) {
        int32_t a = e < count ? index[e] : INT32_MAX, b = f < next ? s->index_next[f] : INT32_MAX;
        d.same_support = d.same_support && a == b;
        double before = a <= b ? (double)value[e++] : 0, after = b <= a ? (double)s->value_next[f++] : 0;
        add_change(&d, after - before, s, a < b ? a : b);
    }
    return d;
}

/* z' = max_k(z - mu p) and Gz' - W^T x; returns the number of entries of z'. */
static int64_t step(const iht_state *h, iht_space *s, double mu, const float *b, const int32_t *index,
                    const float *value, int64_t count) {
    for (int64_t j = 0; j < h->W->m; j++)
        s->u[j] = (float)-mu * s->p[j];
    for (int64_t e = 0; e < count; e++)
        s->u[index[e]] += value[e];
    int64_t next = dl_select(s->u, h->W->m, h->k, h->positive, s->keys, s->index_next, s->value_next);
    dl_kernels_now()->gap_row(h->G, h->W->m, s->index_next, s->value_next, next, b, 1, s->p_next);
    return next;
}

/* One pass on a code; true when it has converged. */
static bool improve(const iht_state *h, iht_space *s, const float *b, int32_t *index, float *value,
                    int32_t *count) {
    /* With z = 0 the support is that of the first selection. */
    const int32_t *S = index;
    int64_t size = *count, next = 0;
    if (size == 0) {
        size = step(h, s, h->step, b, index, value, 0);
        S = s->index_next;
    }
    double mu = h->normalised ? best_step(h, s->p, S, size) : h->step;
    change d;
    for (;;) {
        next = step(h, s, mu, b, index, value, *count);
        d = compare(s, index, value, *count, next);
        /* At the safe step the error cannot increase, whatever rounding suggests. */
        if (mu <= h->step || d.same_support || mu * d.image <= SAFETY * d.square)
            break;
        mu = fmax(mu * BACKTRACK, h->step);
    }
    double square = 0;
    for (int64_t e = 0; e < next; e++)
        square += (double)s->value_next[e] * (double)s->value_next[e];
    memcpy(index, s->index_next, (size_t)next * sizeof *index);
    memcpy(value, s->value_next, (size_t)next * sizeof *value);
    *count = (int32_t)next;
    float *p = s->p;
    s->p = s->p_next;
    s->p_next = p;
    return !(d.square > TOLERANCE * TOLERANCE * square);
}

static void tile(const dl_recipe *recipe, void *state, int worker, const float *X, int64_t x_stride,
                 int64_t rows, dl_workspace *space, dl_slots out) {
    (void)recipe;
    (void)space;
    const iht_state *h = state;
    iht_space *s = &h->spaces[worker];
    const dl_kernels *kernels = dl_kernels_now();
    int64_t m = h->W->m, chunk = dl_score_rows(m);
    for (int64_t i = 0; i < rows; i++) {
        const float *b = s->B + i % chunk * m;
        if (i % chunk == 0)
            /* Passes with a large step amplify the last bit of a score to another support. */
            kernels->unfused_scores(h->W, 0, h->W->panels, X + i * x_stride, x_stride,
                                    rows - i < chunk ? rows - i : chunk, s->B, m);
        out.count[i] = 0;
        kernels->gap_row(h->G, m, NULL, NULL, 0, b, 1, s->p);
        for (int64_t pass = 0; pass < h->passes && dl_poll(); pass++)
            if (improve(h, s, b, out.index + i * out.k, out.value + i * out.k, &out.count[i]))
                break;
    }
}

const dl_coder dl_coder_iht = {
    .name = "iht", .takes_positive = true, .prepare = prepare_iht, .tile = tile, .free = free_state};

const dl_coder dl_coder_niht = {
    .name = "niht", .takes_positive = true, .prepare = prepare_niht, .tile = tile, .free = free_state};
