/* The learner of dictionaries for incoherent thresholded features of patches. */
#ifndef DL_DENOISE_PATCH_LEARNER_H
#define DL_DENOISE_PATCH_LEARNER_H

#include "image/patches.h"

typedef struct dl_patch_training {
    const float *X; /* count x n: patches without their means */
    int64_t count, side, m, k;
    double mu, cut; /* coherence and threshold of the coder */
    int64_t iterations;
    int threads;
} dl_patch_training;

/* The overcomplete cosine dictionary (m x n): products of cosines in order of frequency, without the
 * constant. */
dltf_status dl_cosine_dictionary(int64_t side, int64_t m, float *W);

/* min_{W, Z} ||X - ZW||_F^2 over codes Z of the incoherent coder, alternating between codes and atoms: each
 * atom and its values by one power iteration on the residuals (K-SVD's approximate update). Starts from the
 * cosine dictionary. W: m x n. */
dltf_status dl_patch_learn(const dl_patch_training *training, dl_meter *meter, int64_t units, float *W);

#endif
