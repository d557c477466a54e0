/* Small dense least squares on a support. */
#ifndef DL_CODING_LEAST_SQUARES_H
#define DL_CODING_LEAST_SQUARES_H

#include <stdint.h>

/* Solves the s x s normal equations G z = b by Cholesky; G (lower triangle) is overwritten, b becomes z. An
 * atom that depends on earlier ones (its pivot vanishes; diagonals must be about 1) gets the coefficient 0:
 * its part is already explained. */
void dl_solve_support(double *G, double *b, int64_t s);

#endif
