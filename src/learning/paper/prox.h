/* The proximal mapping of the squared (k,2) norm, without a sort. The Q-step evaluates it once per sample.
 * The public dltf_prox is the same with argument checks. */
#ifndef DL_LEARNING_PAPER_PROX_H
#define DL_LEARNING_PAPER_PROX_H

#include "base/status.h"

/* q = argmin gamma ||q||^2_{k,2} + ||q - c||^2 for finite c of length m, 1 <= k, 0 <= gamma; q may be c.
 * Allocates nothing and cannot fail. */
void dl_prox(const float *c, int64_t m, int64_t k, double gamma, float *q);

/* Checks the arguments of dltf_prox and dltf_prox_sorted. */
dltf_status dl_prox_check(const float *c, int64_t m, int64_t k, double gamma);

/* dl_prox with a guess: *v is the scalar that determines the solution, before the call that of a similar
 * column, which saves passes, or 0. Returns the number of passes over c, for tests and benchmarks. */
int dl_prox_next(const float *c, int64_t m, int64_t k, double gamma, float *q, double *v);

/* dl_prox for `count` >= 1 columns, the rows of C; Q may be C. v receives the scalar of each column. Up to
 * m = 256 several columns are solved side by side, and each has the bits of dl_prox. Longer ones are solved
 * one after the other, each with the root of the one before as its guess, the first with v[0]. Returns the
 * number of passes over columns, for tests and benchmarks. */
int64_t dl_prox_columns(const float *C, int64_t m, int64_t k, double gamma, int64_t count, float *Q,
                        double *v);

#endif
