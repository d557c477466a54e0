/* The proximal mapping of the squared (k,2) norm: the Q step's kernel, without a sort. Called once per sample
 * and iteration by learning/; the public dltf_prox is the same behind argument checks. */
#ifndef DL_LEARNING_PROX_H
#define DL_LEARNING_PROX_H

#include "base/status.h"

/* q = argmin gamma ||q||^2_{k,2} + ||q - c||^2 for finite c of length m, 1 <= k, 0 <= gamma; q may be c.
 * Allocates nothing and cannot fail. */
void dl_prox(const float *c, int64_t m, int64_t k, double gamma, float *q);

/* The arguments of dltf_prox and dltf_prox_sorted, checked with a sentence. */
dltf_status dl_prox_check(const float *c, int64_t m, int64_t k, double gamma, const float *q);

/* dl_prox, returning the number of passes over c that it took: for tests and benchmarks. */
int dl_prox_passes(const float *c, int64_t m, int64_t k, double gamma, float *q);

#endif
