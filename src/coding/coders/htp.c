/* Hard-thresholding pursuit, preconditioned by the dual encoder E of the dictionary, as a coder:
 *
 *     min ||x - Wz||^2  s.t. ||z||_0 <= k (and z >= 0 with positive selection)
 *
 * The first pass is the model's own thresholded feature, each later one z <- max_k(z + E^T(x - Wz)); after
 * every pass the values are refitted on the support. Where E^T W is near the identity on few atoms, one
 * correction repairs most of a support. Stops after recipe->options.passes or when the support no longer
 * changes, and returns the best code found. */
#include "base/memory.h"
#include "base/meter.h"
#include "coding/coder.h"
#include "coding/decode.h"
#include "data/model.h"
#include "kernels/select.h"

#include <math.h>
#include <string.h>

enum { PASSES = 8 };

/* Work space of one thread. */
typedef struct htp_space {
    float *S; /* E^T x of up to dl_score_rows(m) samples */
    float *u; /* m */
    uint32_t *keys;
    double *refit, *residual;
    dl_slots now, next; /* one code each */

    /* Without H: the samples of a tile that still change. */
    float *R;               /* rows of a tile x n: their residuals */
    dl_slots codes, listed; /* rows x k, rows x 2k: their codes; best scores of the residuals */
    int32_t *active;        /* rows: which they are */
    double *least;          /* rows: the best ||x - Wz||^2 so far */
    int32_t *position;      /* k */
    int32_t *index;         /* 3k candidates */
} htp_space;

typedef struct htp_state {
    const dltf_model *model;
    const dl_packed *E;
    const float *H; /* m x m: row j is E^T w_j; NULL: too large */
    int64_t passes, k;
    bool positive;
    htp_space *spaces;
    int threads;
} htp_state;

static void free_state(void *state) {
    htp_state *h = state;
    for (int t = 0; h->spaces && t < h->threads; t++) {
        htp_space *s = &h->spaces[t];
        dl_free(s->S);
        dl_free(s->u);
        dl_free(s->keys);
        dl_free(s->refit);
        dl_free(s->residual);
        dl_slots_free(&s->now);
        dl_slots_free(&s->next);
        dl_free(s->R);
        dl_slots_free(&s->codes);
        dl_slots_free(&s->listed);
        dl_free(s->active);
        dl_free(s->least);
        dl_free(s->position);
        dl_free(s->index);
    }
    dl_free(h->spaces);
    dl_free(h);
}

/* Scores of a residual that are looked at: k of them may belong to the code already. */
static int64_t listed(int64_t m, int64_t k) {
    return 2 * k < m ? 2 * k : m;
}

static dltf_status alloc_large_space(htp_space *s, const dl_recipe *recipe) {
    dltf_status status = DLTF_OK;
    int64_t m = recipe->model->parts.m, n = recipe->model->parts.n, k = recipe->feature.k;
    DL_TRY_NEW(s->u, 3 * k);
    DL_TRY_NEW(s->keys, 3 * k);
    DL_TRY_NEW(s->R, recipe->rows * n);
    DL_TRY(dl_slots_alloc(&s->codes, recipe->rows, k));
    DL_TRY(dl_slots_alloc(&s->listed, recipe->rows, listed(m, k)));
    DL_TRY_NEW(s->active, recipe->rows);
    DL_TRY_NEW(s->least, recipe->rows);
    DL_TRY_NEW(s->position, k);
    DL_TRY_NEW(s->index, 3 * k);
done:
    return status;
}

static dltf_status alloc_small_space(htp_space *s, const dl_recipe *recipe) {
    dltf_status status = DLTF_OK;
    int64_t m = recipe->model->parts.m;
    DL_TRY_NEW(s->S, dl_recipe_score_rows(recipe) * m);
    DL_TRY_NEW(s->u, m);
    DL_TRY_NEW(s->keys, m);
done:
    return status;
}

static dltf_status alloc_space(htp_space *s, const dl_recipe *recipe) {
    dltf_status status = DLTF_OK;
    int64_t n = recipe->model->parts.n, k = recipe->feature.k;
    DL_TRY(dl_gram_fits(recipe->model->parts.m) ? alloc_small_space(s, recipe)
                                                : alloc_large_space(s, recipe));
    DL_TRY_NEW(s->refit, dl_refit_scratch(k, n));
    DL_TRY_NEW(s->residual, n);
    DL_TRY(dl_slots_alloc(&s->now, 1, k));
    DL_TRY(dl_slots_alloc(&s->next, 1, k));
done:
    return status;
}

typedef struct products_job {
    const dl_recipe *recipe;
    const dl_packed *E;
} products_job;

static dltf_status make_products(const void *context, dl_derived **made) {
    const products_job *job = context;
    const dltf_model *model = job->recipe->model;
    int64_t m = model->parts.m, n = model->parts.n;
    dltf_status status = dl_gram_check(m, 32);
    if (status != DLTF_OK)
        return status;
    float *H = DL_NEW(float, m *m);
    if (!H)
        return DLTF_MEMORY;
    dl_kernels_now()->scores(job->E, 0, job->E->panels, model->dictionary, n, m, H, m);
    return dl_derived_matrix_new(H, made);
}

static dltf_status derive_products(const dl_recipe *recipe, const dl_packed *E, const float **H) {
    const dl_derived *found = NULL;
    products_job job = {recipe, E};
    dltf_status status = dl_model_derive(recipe->model, DL_DERIVED_PRODUCTS, make_products, &job, &found);
    if (status == DLTF_OK)
        *H = ((const dl_derived_matrix *)found)->values;
    return status;
}

static dltf_status prepare(const dl_recipe *recipe, void **state) {
    dltf_status status = DLTF_OK;
    htp_state *h = NULL;
    DL_TRY_NEW(h, 1);
    h->model = recipe->model;
    h->threads = recipe->workers;
    h->passes = recipe->options.passes > 0 ? recipe->options.passes : PASSES;
    h->k = recipe->feature.k;
    h->positive = recipe->feature.positive;
    DL_TRY(dl_derive_dual(recipe, &h->E));
    if (dl_gram_fits(recipe->model->parts.m))
        DL_TRY(derive_products(recipe, h->E, &h->H));
    DL_TRY_NEW(h->spaces, h->threads);
    for (int t = 0; t < h->threads; t++)
        DL_TRY(alloc_space(&h->spaces[t], recipe));
    *state = h;
    h = NULL;
done:
    if (h)
        free_state(h);
    return status;
}

/* Removes zeros and, with positive selection, negative values from a code; true if there was a negative one.
 */
static bool drop(const htp_state *h, dl_slots code) {
    int32_t kept = 0;
    bool negative = false;
    for (int32_t e = 0; e < code.count[0]; e++) {
        negative = negative || (h->positive && code.value[e] < 0);
        if (code.value[e] == 0 || (h->positive && code.value[e] < 0))
            continue;
        code.index[kept] = code.index[e];
        code.value[kept++] = code.value[e];
    }
    code.count[0] = kept;
    return negative;
}

/* Least squares on the support of one sample; returns ||x - Wz||^2. */
static double fit(const htp_state *h, htp_space *s, const float *x, dl_slots code) {
    int64_t n = h->model->parts.n;
    do
        dl_refit_tile(h->model->dictionary, n, x, n, 1, code, s->refit);
    while (drop(h, code));
    double square = 0;
    for (int64_t d = 0; d < n; d++)
        s->residual[d] = (double)x[d];
    dl_decode(s->residual, DL_SUBTRACT, h->model->dictionary, n, dl_slots_code(&code, 0));
    for (int64_t d = 0; d < n; d++)
        square += s->residual[d] * s->residual[d];
    return square;
}

static bool same_support(dl_slots a, dl_slots b) {
    return a.count[0] == b.count[0] && memcmp(a.index, b.index, (size_t)a.count[0] * sizeof *a.index) == 0;
}

/* The support of max_k(z + E^T(x - Wz)), with scores s = E^T x. */
static void correct(const htp_state *h, htp_space *s, const float *scores, dl_slots now, dl_slots next) {
    int64_t m = h->E->m;
    dl_kernels_now()->gap_row(h->H, m, now.index, now.value, now.count[0], scores, -1, s->u);
    for (int32_t e = 0; e < now.count[0]; e++)
        s->u[now.index[e]] += now.value[e];
    next.count[0] = (int32_t)dl_select(s->u, m, h->k, h->positive, s->keys, next.index, next.value);
}

static void copy_code(dl_slots from, dl_slots to) {
    to.count[0] = from.count[0];
    memcpy(to.index, from.index, (size_t)from.count[0] * sizeof *to.index);
    memcpy(to.value, from.value, (size_t)from.count[0] * sizeof *to.value);
}

/* All passes after the first, whose code is in `best`. */
static void pursue(const htp_state *h, htp_space *s, const float *x, const float *scores, dl_slots best) {
    double smallest = fit(h, s, x, best);
    copy_code(best, s->now);
    for (int64_t pass = 1; pass < h->passes && isfinite(smallest) && dl_poll(); pass++) {
        correct(h, s, scores, s->now, s->next);
        if (same_support(s->now, s->next))
            break;
        double square = fit(h, s, x, s->next);
        if (square < smallest) {
            copy_code(s->next, best);
            smallest = square;
        }
        dl_slots now = s->now;
        s->now = s->next;
        s->next = now;
    }
}

/* ---- Without E^T W: products with the residuals of a tile ---- */

/* <e_j, r> */
static double score_of(const dl_packed *E, int64_t j, const float *r) {
    const float *e = E->data + j / DL_PANEL * E->n * DL_PANEL + j % DL_PANEL;
    double sum = 0;
    for (int64_t d = 0; d < E->n; d++)
        sum += (double)e[d * DL_PANEL] * (double)r[d];
    return sum;
}

/* The same as `correct`: what is not in the code must be among the best scores of the residual r. */
static void correct_large(const htp_state *h, htp_space *s, const float *r, dl_slots best, dl_slots now,
                          dl_slots next) {
    int64_t count = 0;
    for (int32_t a = 0, b = 0; a < now.count[0] || b < best.count[0]; count++) {
        bool own = b == best.count[0] || (a < now.count[0] && now.index[a] <= best.index[b]);
        s->index[count] = own ? now.index[a] : best.index[b];
        s->u[count] = own ? (float)((double)now.value[a] + score_of(h->E, now.index[a], r)) : best.value[b];
        b += b < best.count[0] && best.index[b] == s->index[count];
        a += own;
    }
    next.count[0] = (int32_t)dl_select(s->u, count, h->k, h->positive, s->keys, s->position, next.value);
    for (int32_t e = 0; e < next.count[0]; e++)
        next.index[e] = s->index[s->position[e]];
}

/* Keeps the residual that `fit` has left for the next pass. */
static void keep_active(const htp_state *h, htp_space *s, int32_t sample, int64_t place) {
    int64_t n = h->model->parts.n;
    for (int64_t d = 0; d < n; d++)
        s->R[place * n + d] = (float)s->residual[d];
    s->active[place] = sample;
}

/* All passes after the first, which is in `out`, for a tile. */
static void pursue_large(const htp_state *h, htp_space *s, const float *X, int64_t x_stride, int64_t rows,
                         dl_workspace *space, dl_slots out) {
    const dl_feature feature = {.E = h->E, .k = listed(h->E->m, h->k), .positive = h->positive};
    int64_t n = h->model->parts.n, active = 0;
    for (int64_t i = 0; i < rows; i++) {
        dl_slots best = dl_slots_from(&out, i, 1);
        s->least[i] = fit(h, s, X + i * x_stride, best);
        copy_code(best, dl_slots_from(&s->codes, i, 1));
        if (isfinite(s->least[i]))
            keep_active(h, s, (int32_t)i, active++);
    }
    for (int64_t pass = 1; pass < h->passes && active > 0 && dl_poll(); pass++) {
        int64_t left = 0;
        dl_feature_tile(&feature, s->R, n, active, space, dl_slots_from(&s->listed, 0, active));
        for (int64_t a = 0; a < active; a++) {
            int32_t i = s->active[a];
            dl_slots now = dl_slots_from(&s->codes, i, 1);
            correct_large(h, s, s->R + a * n, dl_slots_from(&s->listed, a, 1), now, s->next);
            if (same_support(now, s->next))
                continue;
            double square = fit(h, s, X + i * x_stride, s->next);
            copy_code(s->next, now);
            if (square < s->least[i]) {
                copy_code(s->next, dl_slots_from(&out, i, 1));
                s->least[i] = square;
            }
            keep_active(h, s, i, left++);
        }
        active = left;
    }
}

static void tile(const dl_recipe *recipe, void *state, int worker, const float *X, int64_t x_stride,
                 int64_t rows, dl_workspace *space, dl_slots out) {
    const htp_state *h = state;
    htp_space *s = &h->spaces[worker];
    int64_t m = h->E->m, chunk = dl_score_rows(m);
    dl_feature_tile(&recipe->feature, X, x_stride, rows, space, out);
    if (!h->H) {
        pursue_large(h, s, X, x_stride, rows, space, out);
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (i % chunk == 0)
            dl_kernels_now()->scores(h->E, 0, h->E->panels, X + i * x_stride, x_stride,
                                     rows - i < chunk ? rows - i : chunk, s->S, m);
        pursue(h, s, X + i * x_stride, s->S + i % chunk * m, dl_slots_from(&out, i, 1));
    }
}

static dltf_status list(const dl_recipe *recipe, int64_t *wanted) {
    *wanted = listed(recipe->model->parts.m, recipe->feature.k);
    return DLTF_OK;
}

const dl_coder dl_coder_htp = {.name = "htp",
                               .takes_positive = true,
                               .starts_from_feature = true,
                               .list = list,
                               .prepare = prepare,
                               .tile = tile,
                               .free = free_state};
