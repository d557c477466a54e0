/* The shortlist coder: the right atoms are nearly always among the C = 3k largest scores of the model's
 * encoder, and among so few they can be told apart by least squares. Least squares on the k largest scores,
 * with a ridge; of the others on the list those join that correlate most with the residual; from the 2k the
 * weakest are dropped, first to 1.25 k, then to k.
 *
 * Costs one feature with C entries and, for each sample, k (C + k) products of atoms (looked up where the
 * Gram matrix is small) and (2k)^3 / 6 multiplications, several samples at a time. With two lists, the k best
 * scores of the residual under the dual encoder join the k that are left, and these 2k are reduced in the
 * same way. */
#include "kernels/shortlist.h"
#include "base/integer.h"
#include "base/memory.h"
#include "coding/coder.h"
#include "coding/decode.h"
#include "data/model.h"

#include <math.h>
#include <string.h>

/* Atoms up to which the Gram matrix is stored (16 MB). */
enum { MOST_STORED = 2048, LIST_PER_ENTRY = 3 };
/* The kernel addresses entries of 2k x 2k systems with 32 bits. */
enum { MOST_ENTRIES = 8191 };
/* Squared distance of an atom from the span of the others, below which values need more than f32 products. */
static const float ILL_CONDITIONED = 0.1f;

/* Work space of one thread. */
typedef struct shortlist_space {
    dl_slots list;           /* candidates of a tile */
    float *residual;         /* rows of a tile x n, for two lists */
    dl_slots second, merged; /* of a tile: the second list, and its union with the code */
    float *work, *pivot;     /* of dl_kernels.shortlist, for DL_TILE samples */
    double *refit;           /* dl_refit_scratch(k, n) */
} shortlist_space;

typedef struct shortlist_state {
    const dltf_model *model;
    dl_feature first, second; /* second.k = 0: one list */
    const float *G;           /* m x m; NULL: too large */
    dl_shortlist among_first, among_both;
    shortlist_space *spaces;
    int threads;
} shortlist_state;

static int64_t candidates_of(const dl_recipe *recipe) {
    int64_t chosen = recipe->options.candidates;
    return chosen > 0 ? chosen : dl_min(recipe->model->parts.m, LIST_PER_ENTRY * recipe->feature.k);
}

/* 0 without a second list. */
static int64_t second_of(const dl_recipe *recipe) {
    return recipe->options.lists == 2 ? recipe->feature.k : 0;
}

static dltf_status list(const dl_recipe *recipe, int64_t *listed) {
    int64_t candidates = candidates_of(recipe), k = recipe->feature.k, m = recipe->model->parts.m;
    if (k > MOST_ENTRIES)
        return dl_fail_option(DLTF_ARGUMENT, "k",
                              "%lld is more than the %d that the coder shortlist supports", (long long)k,
                              MOST_ENTRIES);
    if (candidates < k || candidates > m)
        return dl_fail_option(DLTF_ARGUMENT, "candidates", "%lld is not between k = %lld and the %lld atoms",
                              (long long)candidates, (long long)k, (long long)m);
    *listed = dl_max(candidates, second_of(recipe));
    return DLTF_OK;
}

static void free_state(void *state) {
    shortlist_state *h = state;
    for (int t = 0; h->spaces && t < h->threads; t++) {
        shortlist_space *s = &h->spaces[t];
        dl_slots_free(&s->list);
        dl_slots_free(&s->second);
        dl_slots_free(&s->merged);
        dl_free(s->residual);
        dl_free(s->work);
        dl_free(s->pivot);
        dl_free(s->refit);
    }
    dl_free(h->spaces);
    dl_free(h);
}

static dltf_status alloc_space(const shortlist_state *h, int64_t rows, shortlist_space *s) {
    dltf_status status = DLTF_OK;
    int64_t n = h->model->parts.n, work = dl_shortlist_work(&h->among_first);
    DL_TRY(dl_slots_alloc(&s->list, rows, h->first.k));
    if (h->second.k > 0) {
        DL_TRY(dl_slots_alloc(&s->second, rows, h->second.k));
        DL_TRY(dl_slots_alloc(&s->merged, rows, h->among_both.listed));
        DL_TRY_NEW(s->residual, rows * n);
        work = dl_max(work, dl_shortlist_work(&h->among_both));
    }
    DL_TRY_NEW(s->work, work);
    DL_TRY_NEW(s->pivot, rows);
    DL_TRY_NEW(s->refit, dl_refit_scratch(h->among_first.k, n));
done:
    return status; /* the owner frees what is there */
}

static dltf_status prepare(const dl_recipe *recipe, void **state) {
    dltf_status status = DLTF_OK;
    const dltf_model_view *parts = &recipe->model->parts;
    shortlist_state *h = NULL;
    DL_TRY_NEW(h, 1);
    h->model = recipe->model;
    h->threads = recipe->workers;
    h->first = recipe->feature;
    h->first.k = candidates_of(recipe);
    h->second = (dl_feature){.k = second_of(recipe), .positive = recipe->feature.positive};
    if (h->second.k > 0)
        DL_TRY(dl_derive_dual(recipe, &h->second.E));
    if (parts->m <= MOST_STORED && dl_gram_fits(parts->m))
        DL_TRY(dl_derive_gram(recipe, &h->G));
    h->among_first = (dl_shortlist){.W = recipe->model->dictionary,
                                    .G = h->G,
                                    .m = parts->m,
                                    .n = parts->n,
                                    .k = recipe->feature.k,
                                    .listed = h->first.k,
                                    .tied = !parts->encoder,
                                    .positive = recipe->feature.positive};
    h->among_both = h->among_first;
    h->among_both.listed = recipe->feature.k + h->second.k;
    DL_TRY_NEW(h->spaces, h->threads);
    for (int t = 0; t < h->threads; t++)
        DL_TRY(alloc_space(h, recipe->rows, &h->spaces[t]));
    *state = h;
    h = NULL;
done:
    if (h)
        free_state(h);
    return status;
}

/* Removes zeros and, with positive selection, negative values; true if there was a negative one. */
static bool drop(bool positive, dl_slots code) {
    int32_t left = 0;
    bool negative = false;
    for (int32_t e = 0; e < code.count[0]; e++) {
        bool refused = positive && code.value[e] < 0;
        negative = negative || refused;
        if (code.value[e] == 0 || refused)
            continue;
        code.index[left] = code.index[e];
        code.value[left++] = code.value[e];
    }
    code.count[0] = left;
    return negative;
}

/* The code of a sample as the kernel left it: by products in double where rounding of those in single
 * precision would show. */
static void finish(const shortlist_state *h, shortlist_space *s, const float *x, float pivot, dl_slots code) {
    int64_t n = h->model->parts.n;
    if (isnan(pivot)) { /* the caller must see it */
        code.count[0] = 1;
        code.index[0] = 0;
        code.value[0] = NAN;
        return;
    }
    if (pivot <= ILL_CONDITIONED) {
        for (int32_t e = 0; e < code.count[0]; e++)
            code.value[e] = 1; /* they may not be finite */
        dl_refit_tile(h->model->dictionary, n, x, n, 1, code, s->refit);
    }
    while (drop(h->first.positive, code))
        dl_refit_tile(h->model->dictionary, n, x, n, 1, code, s->refit);
}

/* Whether a code needs no more work. */
static bool is_finished(const dl_slots *out, int64_t i, bool positive, float pivot) {
    const float *value = out->value + i * out->k;
    bool fine = pivot > ILL_CONDITIONED;
    for (int32_t e = 0; e < out->count[i]; e++)
        fine = fine && value[e] != 0 && !(positive && value[e] < 0);
    return fine;
}

/* Codes of the samples from lists of p->listed entries. */
static void decide(const shortlist_state *h, const dl_shortlist *p, shortlist_space *s, const float *X,
                   int64_t x_stride, const dl_slots *lists, const float *scores, dl_slots out) {
    dl_kernels_now()->shortlist(p, X, x_stride, out.rows, lists->count, lists->index, scores, s->work,
                                out.count, out.index, out.value, s->pivot);
    for (int64_t i = 0; i < out.rows; i++)
        if (!is_finished(&out, i, p->positive, s->pivot[i]))
            finish(h, s, X + i * x_stride, s->pivot[i], dl_slots_from(&out, i, 1));
}

/* Ascending indices of both: the k that are left and those of the second list. */
static int32_t merge(const int32_t *a, int64_t na, const int32_t *b, int64_t nb, int32_t *out) {
    int64_t i = 0, j = 0;
    int32_t count = 0;
    while (i < na || j < nb) {
        int32_t next = j == nb || (i < na && a[i] <= b[j]) ? a[i] : b[j];
        i += i < na && a[i] == next;
        j += j < nb && b[j] == next;
        out[count++] = next;
    }
    return count;
}

/* The second list of a tile, and the decision among both. */
static void look_again(const shortlist_state *h, shortlist_space *s, const float *X, int64_t x_stride,
                       int64_t rows, dl_workspace *space, dl_slots out) {
    int64_t n = h->model->parts.n;
    for (int64_t i = 0; i < rows; i++) {
        memcpy(s->residual + i * n, X + i * x_stride, (size_t)n * sizeof *X);
        dl_decode32(s->residual + i * n, DL_SUBTRACT, h->model->dictionary, n, dl_slots_code(&out, i));
    }
    dl_feature_tile(&h->second, s->residual, n, rows, space, dl_slots_from(&s->second, 0, rows));
    for (int64_t i = 0; i < rows; i++) {
        dl_slots code = dl_slots_from(&out, i, 1), more = dl_slots_from(&s->second, i, 1),
                 both = dl_slots_from(&s->merged, i, 1);
        both.count[0] = merge(code.index, code.count[0], more.index, more.count[0], both.index);
    }
    decide(h, &h->among_both, s, X, x_stride, &s->merged, NULL, out);
}

static void tile(const dl_recipe *recipe, void *state, int worker, const float *X, int64_t x_stride,
                 int64_t rows, dl_workspace *space, dl_slots out) {
    (void)recipe;
    const shortlist_state *h = state;
    shortlist_space *s = &h->spaces[worker];
    dl_slots codes = dl_slots_from(&out, 0, rows);
    dl_feature_tile(&h->first, X, x_stride, rows, space, dl_slots_from(&s->list, 0, rows));
    decide(h, &h->among_first, s, X, x_stride, &s->list, s->list.value, codes);
    if (h->second.k > 0)
        look_again(h, s, X, x_stride, rows, space, codes);
}

const dl_coder dl_coder_shortlist = {.name = "shortlist",
                                     .takes_positive = true,
                                     .starts_from_feature = true,
                                     .list = list,
                                     .prepare = prepare,
                                     .tile = tile,
                                     .free = free_state};
