/* Spectral hashing (Weiss, Torralba and Fergus 2008): samples are taken as uniform in the box that their
 * principal components span. The smoothest functions on a side [a, a + R] of the box are
 *
 *     cos(pi k (y - a) / R),  k = 1, 2, ...,
 *
 * smoother for smaller k/R. Bit j is the sign of the j-th smoothest of all sides. */
#include "base/integer.h"
#include "base/memory.h"
#include "dltf/cluster.h"
#include "hash/hasher.h"

#include <math.h>

/* Sides shorter than this share of the longest vary by rounding only. */
static const double SHORTEST = 1e-6;

/* Side d of the box: [lowest, lowest + length]. */
typedef struct side {
    double lowest, length;
    int64_t next; /* k of the smoothest function not yet used */
} side;

static void find_sides(const float *Y, int64_t N, int64_t d, side *sides) {
    double longest = 0;
    for (int64_t c = 0; c < d; c++) {
        float lowest = Y[c], highest = Y[c];
        for (int64_t i = 1; i < N; i++) {
            lowest = fminf(lowest, Y[i * d + c]);
            highest = fmaxf(highest, Y[i * d + c]);
        }
        sides[c] = (side){(double)lowest, (double)highest - (double)lowest, 1};
        longest = fmax(longest, sides[c].length);
    }
    for (int64_t c = 0; c < d; c++)
        if (sides[c].length < SHORTEST * longest)
            sides[c].length = 0;
}

/* The side with the smallest k/R, the first of equals. */
static int64_t smoothest(const side *sides, int64_t d) {
    int64_t best = 0;
    for (int64_t c = 1; c < d; c++)
        if ((double)sides[c].next * sides[best].length < (double)sides[best].next * sides[c].length)
            best = c;
    return best;
}

static void choose_functions(side *sides, int64_t d, dltf_hasher *h) {
    int32_t *component = dl_hasher_tensor(h, "component");
    float *frequency = dl_hasher_tensor(h, "frequency"), *lowest = dl_hasher_tensor(h, "lowest");
    for (int64_t j = 0; j < h->bits; j++) {
        int64_t c = smoothest(sides, d);
        component[j] = (int32_t)c;
        frequency[j] = (float)((double)sides[c].next++ / (2 * sides[c].length));
        lowest[j] = (float)sides[c].lowest;
    }
}

static dltf_status check(const dl_hash_training *t) {
    int64_t components = dl_min(t->options.bits, t->n);
    if (components <= t->N)
        return DLTF_OK;
    return dl_fail_option(
        DLTF_ARGUMENT, "bits", "%lld bits of %lld columns need at least %lld samples with sh, not %lld",
        (long long)t->options.bits, (long long)t->n, (long long)components, (long long)t->N);
}

static dltf_status train(dl_hash_training *t, dltf_hasher *h) {
    dltf_status status = DLTF_OK;
    int64_t d = dl_min(h->bits, h->n);
    dltf_matrix X = dltf_matrix_f32(t->X, t->N, t->n);
    dltf_pca *pca = NULL;
    float *Y = NULL, *components = dl_hasher_tensor(h, "components");
    side *sides = NULL;
    DL_TRY_NEW(Y, t->N * d);
    DL_TRY_NEW(sides, d);
    DL_TRY(dltf_pca_train(X, d, t->threads, &pca));
    DL_TRY(dltf_pca_apply(pca, X, t->threads, Y));
    for (int64_t e = 0; e < d * h->n; e++)
        components[e] = dltf_pca_get(pca).components[e];
    find_sides(Y, t->N, d, sides);
    choose_functions(sides, d, h);
done:
    dltf_pca_free(pca);
    dl_free(Y);
    dl_free(sides);
    return status;
}

static dltf_status prepare(dltf_hasher *h) {
    int64_t d = dl_min(h->bits, h->n);
    const int32_t *component = dl_hasher_tensor(h, "component");
    for (int64_t j = 0; j < h->bits; j++)
        if (component[j] < 0 || component[j] >= d)
            return dl_fail(DLTF_FORMAT, "tensor 'component': bit %lld uses component %d of %lld",
                           (long long)j, (int)component[j], (long long)d);
    dltf_status status = dl_packed_alloc(&h->scores, d, h->n);
    if (status == DLTF_OK)
        dl_packed_fill(&h->scores, dl_hasher_tensor(h, "components"), NULL);
    return status;
}

/* The cosine is positive in the first and the last quarter of its period. */
static void tile(const dltf_hasher *h, dl_hash_space *space, const float *X, int64_t x_stride, int64_t rows,
                 uint8_t *codes) {
    const int32_t *component = dl_hasher_tensor(h, "component");
    const float *frequency = dl_hasher_tensor(h, "frequency"), *lowest = dl_hasher_tensor(h, "lowest");
    dl_hash_scores(h, space, X, x_stride, rows);
    for (int64_t i = 0; i < rows; i++) {
        const float *y = space->scores + i * h->scores.m;
        for (int64_t j = 0; j < h->bits; j++) {
            float periods = frequency[j] * (y[component[j]] - lowest[j]);
            if (fabsf(periods - floorf(periods) - 0.5f) > 0.25f)
                dl_hash_set_bit(codes + i * h->bits / 8, j);
        }
    }
}

static const dl_hash_tensor tensors[] = {{"components", DL_TENSOR_F32, DL_HASH_COMPONENTS, DL_HASH_COLUMNS},
                                         {"component", DL_TENSOR_I32, DL_HASH_BITS, DL_HASH_NONE},
                                         {"frequency", DL_TENSOR_F32, DL_HASH_BITS, DL_HASH_NONE},
                                         {"lowest", DL_TENSOR_F32, DL_HASH_BITS, DL_HASH_NONE},
                                         {.name = NULL}};

const dl_hash_method dl_hash_sh = {
    .name = "sh", .tensors = tensors, .check = check, .train = train, .prepare = prepare, .tile = tile};
