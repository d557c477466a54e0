/* Inner products in double: of two vectors, and of one vector with the rows of a matrix. The order of
 * additions is fixed, so that every CPU gives the same result. */
#ifndef DL_KERNELS_GRAM_H
#define DL_KERNELS_GRAM_H

#include "kernels/kernels.h"

/* <x, y> */
static inline double dl_dot(const double *x, const double *y, int64_t n) {
    return dl_kernels_now()->dot(x, y, n);
}

/* out[i] = <x, row i of rows>, i < count; rows: count x n. */
static inline void dl_gram_row(const double *x, const double *rows, int64_t count, int64_t n, double *out) {
    dl_kernels_now()->gram_row(x, rows, count, n, out);
}

#endif
