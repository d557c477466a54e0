/* Iterative quantisation (Gong and Lazebnik 2011): a rotation R of the principal components V (N x m) that
 * brings them close to the corners of a cube,
 *
 *     min ||B - VR||^2  over B in {-1, 1}^(N x m) and orthogonal R (m x m),
 *
 * by turns: B = sign(VR), R = the orthogonal factor of V^T B. */
#ifndef DL_HASH_ITQ_H
#define DL_HASH_ITQ_H

#include "base/status.h"

typedef struct dl_itq {
    const float *V; /* N x m, borrowed */
    int64_t N, m;
    int threads;
    double *R; /* m x m */
    /* Work space. */
    float *R32, *B, *panels;
    double *C, *scratch;
} dl_itq;

/* Starts with a random rotation. */
dltf_status dl_itq_alloc(dl_itq *itq, const float *V, int64_t N, int64_t m, int64_t seed, int threads);
void dl_itq_free(dl_itq *itq);

/* One turn. O(N m^2). */
dltf_status dl_itq_step(dl_itq *itq);

#endif
