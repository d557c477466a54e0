/* Small dense least squares on a support. */
#ifndef DL_CODING_LEAST_SQUARES_H
#define DL_CODING_LEAST_SQUARES_H

#include <stdint.h>

/* Solves the s x s normal equations G z = b of unit-norm atoms by Cholesky; G (lower triangle) is
 * overwritten, b becomes z. An atom whose pivot, the squared distance from the span of the earlier ones, is
 * below smallest_pivot counts as dependent and gets the coefficient 0. smallest_pivot must be well above the
 * rounding errors of G. */
void dl_solve_support(double *G, double *b, int64_t s, double smallest_pivot);

#endif
