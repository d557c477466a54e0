/* The proximal mapping of the squared (k,2) norm, without a sort. The Q-step evaluates it once per sample.
 * The public dltf_prox is the same with argument checks. */
#ifndef DL_LEARNING_PROX_H
#define DL_LEARNING_PROX_H

#include "base/status.h"

/* q = argmin gamma ||q||^2_{k,2} + ||q - c||^2 for finite c of length m, 1 <= k, 0 <= gamma; q may be c.
 * Allocates nothing and cannot fail. */
void dl_prox(const float *c, int64_t m, int64_t k, double gamma, float *q);

/* Checks the arguments of dltf_prox and dltf_prox_sorted. */
dltf_status dl_prox_check(const float *c, int64_t m, int64_t k, double gamma, const float *q);

/* dl_prox for one of several similar columns: *v is the scalar that determines the solution, 0 before the
 * first column, and saves passes over the next. Returns the number of passes over c, for tests and
 * benchmarks. */
int dl_prox_next(const float *c, int64_t m, int64_t k, double gamma, float *q, double *v);

#endif
