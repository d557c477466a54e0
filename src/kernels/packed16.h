/* A score matrix in integers of 16 bits, for products that only have to find candidates
 * (coding/prefilter.c). */
#ifndef DL_KERNELS_PACKED16_H
#define DL_KERNELS_PACKED16_H

#include "base/status.h"
#include "kernels/kernels.h"

dltf_status dl_packed16_alloc(dl_packed16 *packed, int64_t m, int64_t n);
void dl_packed16_free(dl_packed16 *packed);

/* Rows that are set at once: their pairs fill a cache line. */
enum { DL_ROWS16 = 16 };

/* A row of floats as `scale` times integers, or the largest of several: bounds on the norms of the row and of
 * its rounding error. If the latter is not finite, the integers are zero. */
typedef struct dl_rounded16 {
    float scale;
    double norm, lost;
} dl_rounded16;

/* Sets up to DL_ROWS16 rows from row j on, a multiple of it, from n floats each and their biases, with the
 * sign of dl_packed; `work` holds DL_ROWS16 rows of n + 1. */
dl_rounded16 dl_packed16_set(dl_packed16 *packed, int64_t j, int64_t rows, const float *E, const float *bias,
                             int16_t *work);

/* `atoms` of it from a panel on, without a copy. */
dl_packed16 dl_packed16_range(const dl_packed16 *packed, int64_t panel, int64_t atoms);

/* A row of n floats as integers of 16 bits, in pairs: one zero is appended if n is odd. The products of two
 * rows of integers sum to less than 2^31 in magnitude, by Cauchy's inequality. */
dl_rounded16 dl_round16(const float *x, int64_t n, int16_t *pairs);

#endif
