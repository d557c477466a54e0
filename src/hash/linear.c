/* Bits that are the signs of linear functions: one product, and a comparison. */
#include "hash/linear.h"

dltf_status dl_linear_prepare(dltf_hasher *h) {
    const dl_tensor *bias = dl_bundle_find(&h->content, "bias");
    dltf_status status = dl_packed_alloc(&h->scores, h->bits, h->n);
    if (status == DLTF_OK)
        dl_packed_fill(&h->scores, dl_hasher_tensor(h, "encoder"), bias ? bias->data : NULL);
    return status;
}

void dl_linear_tile(const dltf_hasher *h, dl_hash_space *space, const float *X, int64_t x_stride,
                    int64_t rows, uint8_t *codes) {
    dl_hash_scores(h, space, X, x_stride, rows);
    for (int64_t byte = 0; byte < rows * h->bits / 8; byte++) {
        const float *scores = space->scores + 8 * byte;
        unsigned bits = 0;
        for (int b = 0; b < 8; b++)
            bits |= (unsigned)(scores[b] > 0) << b;
        codes[byte] = (uint8_t)bits;
    }
}
