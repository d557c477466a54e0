/* A score matrix in integers of 16 bits, for products that only have to find candidates
 * (coding/prefilter.c). */
#ifndef DL_KERNELS_PACKED16_H
#define DL_KERNELS_PACKED16_H

#include "base/status.h"
#include "kernels/kernels.h"

dltf_status dl_packed16_alloc(dl_packed16 *packed, int64_t m, int64_t n);
void dl_packed16_free(dl_packed16 *packed);

/* Sets row j from n floats and its bias, with the sign of dl_packed; `work` holds a row. Returns a bound on
 * the norm of the rounding error. */
double dl_packed16_set(dl_packed16 *packed, int64_t j, const float *e, float bias, int16_t *work);

/* A row of n floats as `scale` times integers of 16 bits, in pairs: one zero is appended if n is odd. Returns
 * a bound on the norm of the rounding error; if it is not finite, the integers are zero.
 *
 * The products of two rows of integers sum to less than 2^31 in magnitude, by Cauchy's inequality. */
double dl_round16(const float *x, int64_t n, int16_t *pairs, float *scale);

#endif
