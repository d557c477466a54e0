/* The support of thresholded features as a binary code: bit j is 1 if atom j is among the k largest positive
 * scores of a sample, by the tied feature of the paper and with its k = m/2, so that about half of the bits
 * are 1. One product and one selection. */
#include "hash/sparse.h"

#include "base/integer.h"
#include "coding/feature.h"

/* The paper's theta, and no lambda. Few iterations: many move the dictionary so far towards a tight frame
 * that its atoms are no longer those of the data (docs/design.md). */
static const double THETA = 0.01;
enum { ITERATIONS = 5, MOST_SAMPLES = 5000 };

static int64_t default_k(int64_t bits) {
    return bits / 2;
}

/* Codes with half as many entries make better dictionaries for this use. */
static dltf_status train(dl_hash_training *t, dltf_hasher *h) {
    dltf_train_options options = dltf_train_options_default();
    options.encoder = DLTF_ENCODER_TIED;
    options.k = dl_max(h->k / 2, 1);
    options.iterations = ITERATIONS;
    options.theta = options.theta_start = THETA;
    return dl_sparse_learn(t, &options, MOST_SAMPLES, h);
}

static dltf_status prepare(dltf_hasher *h) {
    dltf_status status = dl_sparse_check(h);
    if (status == DLTF_OK)
        status = dl_packed_alloc(&h->scores, h->bits, h->n);
    if (status == DLTF_OK)
        dl_packed_fill(&h->scores, dl_hasher_tensor(h, "dictionary"), NULL);
    return status;
}

static void tile(const dltf_hasher *h, dl_hash_space *space, const float *X, int64_t x_stride, int64_t rows,
                 uint8_t *codes) {
    dl_feature feature = {.E = &h->scores, .k = h->k, .positive = true};
    dl_hash_scores(h, space, X, x_stride, rows);
    dl_threshold_tile(&feature, space->scores, rows, space->keys, dl_slots_from(&space->slots, 0, rows));
    dl_sparse_bits(h, space, rows, codes);
}

const dl_hash_method dl_hash_dltf = {.name = "dltf",
                                     .default_k = default_k,
                                     .tensors = dl_sparse_tensors,
                                     .train = train,
                                     .prepare = prepare,
                                     .tile = tile};
