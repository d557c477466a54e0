/* The second stage: orthonormal bases learned from the result of the first, and Wiener filtering in them. */
#ifndef DL_DENOISE_BASES_H
#define DL_DENOISE_BASES_H

#include "image/patches.h"
#include "kernels/packed.h"

enum { DL_BASES = 16 };

typedef struct dl_bases {
    int64_t side, n;
    float *B;                     /* DL_BASES x n x n, one basis vector per row */
    dl_packed forward[DL_BASES];  /* of B, for coefficients */
    dl_packed backward[DL_BASES]; /* of B^T, for patches */
} dl_bases;

/* min sum_i min_b sum_j min(<b_j, x_i>^2, (1.3 sigma)^2) over the patches of the plane (without their means),
 * alternating between the best basis of each patch and, for each basis, the Procrustes problem of the large
 * coefficients of its patches. */
dltf_status dl_bases_learn(dl_bases *bases, dl_plane plane, int64_t side, double sigma, int64_t seed,
                           int threads, dl_meter *meter, int64_t units);
void dl_bases_free(dl_bases *bases);

/* Filters every patch of the noisy plane in the best basis of the pilot's patch: multiplies its coefficients
 * by c^2/(c^2 + .8 sigma^2), where c are those of the pilot. */
dltf_status dl_bases_filter(const dl_bases *bases, dl_plane noisy, const float *pilot, int64_t stride,
                            double sigma, int threads, dl_meter *meter, int64_t units, float *out);

#endif
