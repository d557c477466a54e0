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

/* Sets up to DL_ROWS16 rows from row j on, a multiple of it, from n floats each and their biases, with the
 * sign of dl_packed; `work` holds DL_ROWS16 rows of n + 1. Returns a bound on the norms of the rounding
 * errors. */
double dl_packed16_set(dl_packed16 *packed, int64_t j, int64_t rows, const float *E, const float *bias,
                       int16_t *work);

/* A row of n floats as `scale` times integers of 16 bits, in pairs: one zero is appended if n is odd. Returns
 * a bound on the norm of the rounding error; if it is not finite, the integers are zero.
 *
 * The products of two rows of integers sum to less than 2^31 in magnitude, by Cauchy's inequality. */
double dl_round16(const float *x, int64_t n, int16_t *pairs, float *scale);

#endif
