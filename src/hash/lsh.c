/* Locality-sensitive hashing (Charikar 2002): the side of m random hyperplanes through the mean. */
#include "base/random.h"
#include "hash/linear.h"

static dltf_status train(dl_hash_training *t, dltf_hasher *h) {
    dl_random random = {(uint64_t)t->options.seed, DL_STREAM_HASH};
    float *E = dl_hasher_tensor(h, "encoder");
    for (int64_t e = 0; e < h->bits * h->n; e++)
        E[e] = (float)dl_random_normal(random, (uint64_t)e);
    return DLTF_OK;
}

static const dl_hash_tensor tensors[] = {DL_HASH_ENCODER, {.name = NULL}};

const dl_hash_method dl_hash_lsh = {
    .name = "lsh", .tensors = tensors, .train = train, .prepare = dl_linear_prepare, .tile = dl_linear_tile};
