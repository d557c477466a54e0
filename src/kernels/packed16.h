/* A score matrix in bfloat16, for products that only have to find candidates (coding/prefilter.c). */
#ifndef DL_KERNELS_PACKED16_H
#define DL_KERNELS_PACKED16_H

#include "base/status.h"
#include "kernels/kernels.h"

dltf_status dl_packed16_alloc(dl_packed16 *packed, int64_t m, int64_t n);
void dl_packed16_free(dl_packed16 *packed);

/* Fills it from a matrix of floats (m x n, rows are atoms) and the bias of its dl_packed. */
void dl_packed16_fill(dl_packed16 *packed, const float *E, const float *bias);

/* A row of n floats as pairs of bfloat16, (n+1)/2 words; returns the norm of the rounding error. */
double dl_round16(const float *x, int64_t n, uint32_t *pairs);

#endif
