/* The shortlist coder: the right atoms are nearly always among the 3k largest scores of the model's encoder,
 * and among so few they can be told apart by least squares:
 *
 *     min ||x - Wz||^2 + r ||z||^2  over the C candidates, the weakest dropped again and again until k are
 * left
 *
 * Costs one feature with C entries and, for each sample, C^2 products of atoms (looked up where the Gram
 * matrix is small) and a few products of a C x C matrix with a vector. With two lists, the 2k best scores of
 * the residual under the dual encoder join the k that are left, and the elimination is repeated. */
#include "base/memory.h"
#include "coding/coder.h"
#include "coding/decode.h"
#include "data/model.h"

#include <math.h>
#include <string.h>

/* Atoms up to which the Gram matrix is stored (16 MB). */
enum { MOST_STORED = 2048, LIST_PER_ENTRY = 3, SECOND_PER_ENTRY = 2 };
static const float RIDGE = 0.1f;
/* Squared distance of an atom from the span of the others, below which values need more than f32 products. */
static const double ILL_CONDITIONED = 0.1;

/* Work space of one thread. */
typedef struct shortlist_space {
    dl_slots list;       /* DL_TILE candidates */
    float *residual;     /* DL_TILE x n, for two lists */
    dl_slots second;     /* DL_TILE */
    int32_t *merged;     /* both lists of one sample */
    float *G, *b, *work; /* of dl_kernels.eliminate */
    int32_t *kept;       /* positions in the list */
    double *refit;       /* dl_refit_scratch(k, n) */
    double *A, *v;       /* k x k and k: normal equations */
} shortlist_space;

typedef struct shortlist_state {
    const dltf_model *model;
    dl_feature first, second; /* second.k = 0: one list */
    dl_packed dual;
    float *G;         /* m x m; NULL: too large */
    int64_t k, width; /* width of the small matrices */
    bool scores_are_products;
    shortlist_space *spaces;
    int threads;
} shortlist_state;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t candidates_of(const dl_recipe *recipe) {
    int64_t chosen = recipe->options.candidates;
    return chosen > 0 ? chosen : least(recipe->model->parts.m, LIST_PER_ENTRY * recipe->feature.k);
}

/* 0 without a second list. */
static int64_t second_of(const dl_recipe *recipe) {
    bool two = recipe->options.lists == 2;
    return two ? least(recipe->model->parts.m, SECOND_PER_ENTRY * recipe->feature.k) : 0;
}

static dltf_status list(const dl_recipe *recipe, int64_t *listed) {
    int64_t candidates = candidates_of(recipe), k = recipe->feature.k, m = recipe->model->parts.m;
    if (candidates < k || candidates > m)
        return dl_fail_option(DLTF_ARGUMENT, "candidates", "%lld is not between k = %lld and the %lld atoms",
                              (long long)candidates, (long long)k, (long long)m);
    *listed = most(candidates, second_of(recipe));
    return DLTF_OK;
}

static void free_state(void *state) {
    shortlist_state *h = state;
    for (int t = 0; h->spaces && t < h->threads; t++) {
        shortlist_space *s = &h->spaces[t];
        dl_slots_free(&s->list);
        dl_slots_free(&s->second);
        dl_free(s->residual);
        dl_free(s->merged);
        dl_free(s->G);
        dl_free(s->b);
        dl_free(s->work);
        dl_free(s->kept);
        dl_free(s->refit);
        dl_free(s->A);
        dl_free(s->v);
    }
    dl_free(h->spaces);
    dl_packed_free(&h->dual);
    dl_free(h->G);
    dl_free(h);
}

static dltf_status alloc_space(const shortlist_state *h, shortlist_space *s) {
    dltf_status status = DLTF_OK;
    DL_TRY(dl_slots_alloc(&s->list, DL_TILE, h->first.k));
    if (h->second.k > 0) {
        DL_TRY(dl_slots_alloc(&s->second, DL_TILE, h->second.k));
        DL_TRY_NEW(s->residual, DL_TILE * h->model->parts.n);
        DL_TRY_NEW(s->merged, h->k + h->second.k);
    }
    DL_TRY_NEW(s->G, h->width * h->width);
    DL_TRY_NEW(s->b, h->width);
    DL_TRY_NEW(s->work, 6 * h->width);
    DL_TRY_NEW(s->kept, h->width);
    DL_TRY_NEW(s->refit, dl_refit_scratch(h->k, h->model->parts.n));
    DL_TRY_NEW(s->A, h->k * h->k);
    DL_TRY_NEW(s->v, h->k);
done:
    return status; /* the owner frees what is there */
}

static dltf_status prepare(const dl_recipe *recipe, void **state) {
    dltf_status status = DLTF_OK;
    const dltf_model_view *parts = &recipe->model->parts;
    shortlist_state *h = NULL;
    DL_TRY_NEW(h, 1);
    h->model = recipe->model;
    h->threads = recipe->threads;
    h->k = recipe->feature.k;
    h->first = recipe->feature;
    h->first.k = candidates_of(recipe);
    h->second = (dl_feature){.E = &h->dual, .k = second_of(recipe), .positive = recipe->feature.positive};
    h->scores_are_products = !parts->encoder;
    h->width = most(h->first.k, h->second.k > 0 ? h->k + h->second.k : 0);
    h->width = (h->width + DL_SHORTLIST_WIDTH - 1) / DL_SHORTLIST_WIDTH * DL_SHORTLIST_WIDTH;
    if (h->second.k > 0)
        DL_TRY(dl_dual_pack(recipe, &h->dual));
    if (parts->m <= MOST_STORED && dl_gram_fits(parts->m))
        DL_TRY(dl_gram_new(recipe->threads, recipe->model->dictionary, parts->m, parts->n, &h->G));
    DL_TRY_NEW(h->spaces, h->threads);
    for (int t = 0; t < h->threads; t++)
        DL_TRY(alloc_space(h, &h->spaces[t]));
    *state = h;
    h = NULL;
done:
    if (h)
        free_state(h);
    return status;
}

/* G_CC of the candidates, with zeros up to the width of a row. */
static void make_gram(const shortlist_state *h, const int32_t *index, int64_t count, int64_t width,
                      float *G) {
    if (!h->G) {
        dl_kernels_now()->gram_few(h->model->dictionary, h->model->parts.n, index, count, G, width);
    } else {
        for (int64_t i = 0; i < count; i++) {
            const float *row = h->G + index[i] * h->model->parts.m;
            for (int64_t j = 0; j <= i; j++)
                G[i * width + j] = G[j * width + i] = row[index[j]];
        }
    }
    for (int64_t i = 0; i < count; i++)
        memset(G + i * width + count, 0, (size_t)(width - count) * sizeof *G);
}

/* Least squares on the first `count` candidates of s->kept: values of `code`, whose support they become.
 * Where rounding of G would show, by products in double. */
static void fit(const shortlist_state *h, shortlist_space *s, const float *x, const int32_t *index,
                int64_t width, int64_t count, double scale, dl_slots code) {
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = i; j < count; j++)
            s->A[i * count + j] = (double)s->G[s->kept[i] * width + s->kept[j]];
        s->v[i] = (double)s->b[s->kept[i]] * scale;
    }
    double pivot = dl_kernels_now()->solve_few(s->A, s->v, count);
    code.count[0] = (int32_t)count;
    for (int64_t e = 0; e < count; e++) {
        code.index[e] = index[s->kept[e]];
        code.value[e] = pivot > ILL_CONDITIONED ? (float)s->v[e] : 1;
    }
    if (pivot <= ILL_CONDITIONED)
        dl_refit_tile(h->model->dictionary, h->model->parts.n, x, h->model->parts.n, 1, code, s->refit);
}

/* Removes zeros and, with positive selection, negative values; true if there was a negative one. */
static bool drop(const shortlist_state *h, shortlist_space *s, dl_slots code) {
    int32_t left = 0;
    bool negative = false;
    for (int32_t e = 0; e < code.count[0]; e++) {
        bool refused = h->first.positive && code.value[e] < 0;
        negative = negative || refused;
        if (code.value[e] == 0 || refused)
            continue;
        s->kept[left] = s->kept[e];
        code.index[left] = code.index[e];
        code.value[left++] = code.value[e];
    }
    code.count[0] = left;
    return negative;
}

/* The largest magnitude; not finite if one is not. */
static float largest_of(const float *value, int64_t count) {
    float largest = 0, odd = 0;
    for (int64_t e = 0; e < count; e++) {
        largest = fabsf(value[e]) > largest ? fabsf(value[e]) : largest;
        odd += 0 * value[e];
    }
    return largest + odd;
}

/* The code of a sample from `count` > 0 candidates; `scores` are their products with it, or NULL. */
static void decide(const shortlist_state *h, shortlist_space *s, const float *x, const int32_t *index,
                   const float *scores, int64_t count, dl_slots code) {
    const dl_kernels *kernels = dl_kernels_now();
    int64_t width = (count + DL_SHORTLIST_WIDTH - 1) / DL_SHORTLIST_WIDTH * DL_SHORTLIST_WIDTH;
    if (scores)
        memcpy(s->b, scores, (size_t)count * sizeof *scores);
    else
        kernels->scores_few(h->model->dictionary, h->model->parts.n, index, count, x, s->b);
    float scale = largest_of(s->b, count);
    code.count[0] = 0;
    if (!isfinite(scale)) { /* the caller must see it */
        code.count[0] = 1;
        code.index[0] = index[0];
        code.value[0] = NAN;
    }
    if (!isfinite(scale) || scale == 0)
        return;
    for (int64_t i = 0; i < count; i++)
        s->b[i] /= scale; /* squares stay in range */
    make_gram(h, index, count, width, s->G);
    kernels->eliminate(s->G, s->b, count, width, h->k, RIDGE, h->first.positive, s->work, s->kept);
    int64_t left = least(count, h->k);
    do
        fit(h, s, x, index, width, left, (double)scale, code);
    while (drop(h, s, code) && (left = code.count[0]) > 0);
}

/* Ascending indices of both: the k that are left and those of the second list. */
static int64_t merge(const int32_t *a, int64_t na, const int32_t *b, int64_t nb, int32_t *out) {
    int64_t i = 0, j = 0, count = 0;
    while (i < na || j < nb) {
        int32_t next = j == nb || (i < na && a[i] <= b[j]) ? a[i] : b[j];
        i += i < na && a[i] == next;
        j += j < nb && b[j] == next;
        out[count++] = next;
    }
    return count;
}

/* The second list of a tile, and the elimination from both. */
static void look_again(const shortlist_state *h, shortlist_space *s, const float *X, int64_t x_stride,
                       int64_t rows, dl_workspace *space, dl_slots out) {
    int64_t n = h->model->parts.n;
    for (int64_t i = 0; i < rows; i++) {
        memcpy(s->residual + i * n, X + i * x_stride, (size_t)n * sizeof *X);
        dl_decode32(s->residual + i * n, DL_SUBTRACT, h->model->dictionary, n, dl_slots_code(&out, i));
    }
    dl_feature_tile(&h->second, s->residual, n, rows, space, dl_slots_from(&s->second, 0, rows));
    for (int64_t i = 0; i < rows; i++) {
        dl_slots code = dl_slots_from(&out, i, 1), more = dl_slots_from(&s->second, i, 1);
        int64_t count = merge(code.index, code.count[0], more.index, more.count[0], s->merged);
        if (count > 0)
            decide(h, s, X + i * x_stride, s->merged, NULL, count, code);
    }
}

static void tile(const dl_recipe *recipe, void *state, int worker, const float *X, int64_t x_stride,
                 int64_t rows, dl_workspace *space, dl_slots out) {
    (void)recipe;
    const shortlist_state *h = state;
    shortlist_space *s = &h->spaces[worker];
    dl_feature_tile(&h->first, X, x_stride, rows, space, dl_slots_from(&s->list, 0, rows));
    for (int64_t i = 0; i < rows; i++) {
        dl_slots code = dl_slots_from(&out, i, 1), listed = dl_slots_from(&s->list, i, 1);
        code.count[0] = 0;
        if (listed.count[0] > 0)
            decide(h, s, X + i * x_stride, listed.index, h->scores_are_products ? listed.value : NULL,
                   listed.count[0], code);
    }
    if (h->second.k > 0)
        look_again(h, s, X, x_stride, rows, space, out);
}

const dl_coder dl_coder_shortlist = {.name = "shortlist",
                                     .takes_positive = true,
                                     .starts_from_feature = true,
                                     .list = list,
                                     .prepare = prepare,
                                     .tile = tile,
                                     .free = free_state};
