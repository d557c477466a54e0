/* Hashers whose bits are the signs of linear functions: bit j = [<e_j, x> > b_j], with tensors `encoder` and,
 * if the method has it, `bias`. */
#ifndef DL_HASH_LINEAR_H
#define DL_HASH_LINEAR_H

#include "hash/hasher.h"

#define DL_HASH_ENCODER                                                                                      \
    { "encoder", DL_TENSOR_F32, DL_HASH_BITS, DL_HASH_COLUMNS }

dltf_status dl_linear_prepare(dltf_hasher *h);
void dl_linear_tile(const dltf_hasher *h, dl_hash_space *space, const float *X, int64_t x_stride,
                    int64_t rows, uint8_t *codes);

#endif
