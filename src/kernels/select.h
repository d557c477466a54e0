/* max_k: the k largest entries of a score vector. The only top-k selection of the project. */
#ifndef DL_KERNELS_SELECT_H
#define DL_KERNELS_SELECT_H

#include "kernels/kernels.h"

/* Writes index (ascending) and value of the k largest-magnitude scores, or of the k largest positive ones;
 * ties go to the lowest index; exact zeros are never kept. Returns how many were written (<= k). A NaN
 * counts as larger than any number, and infinity as positive. `keys` holds m words of work space;
 * `indices` and `values` hold k. */
static inline int64_t dl_select(const float *scores, int64_t m, int64_t k, bool positive, uint32_t *keys,
                                int32_t *indices, float *values) {
    int32_t count = 0;
    dl_kernels_now()->select(scores, m, 1, m, k, positive, keys, &count, indices, values);
    return count;
}

#endif
