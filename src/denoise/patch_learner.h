/* The dictionary that incoherent thresholded features of patches are made with. */
#ifndef DL_DENOISE_PATCH_LEARNER_H
#define DL_DENOISE_PATCH_LEARNER_H

#include "image/patches.h"

typedef struct dl_patch_training {
    const float *X; /* count x n: patches without their means */
    int64_t count, side, m, k;
    double mu, cut; /* of the rule while learning */
    int64_t iterations;
    int threads;
} dl_patch_training;

/* The overcomplete cosine dictionary (m x n): products of cosines in order of frequency, without the constant
 * one. */
dltf_status dl_cosine_dictionary(int64_t side, int64_t m, float *W);

/* min_{W, Z} ||X - ZW||_F^2 over codes Z of the incoherent rule, by turns: codes, then each atom and its
 * values by one step of the power method on the residuals (K-SVD's update). W: m x n, made from scratch. */
dltf_status dl_patch_learn(const dl_patch_training *training, dl_meter *meter, int64_t units, float *W);

#endif
