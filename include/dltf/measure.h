/* dltf/measure.h: measures of dictionaries and codes, and synthetic problems with a known solution. */
#ifndef DLTF_MEASURE_H
#define DLTF_MEASURE_H

#include "dltf/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Measures ---------------------------------------------------------------------------------- */

/* Of a dictionary whose rows are normalised first: max_{i != j} |<w_i, w_j>|; mu_1(s) for s = 1 .. order (the
 * largest sum of s of the |<w_i, w_j>|, j != i); ||W^T W||_F^2. */
DLTF_API dltf_status dltf_coherence(dltf_matrix dictionary, double *coherence);
DLTF_API dltf_status dltf_babel(dltf_matrix dictionary, int64_t order, double *babel);
DLTF_API dltf_status dltf_frame_potential(dltf_matrix dictionary, double *potential);

/* mu_1(s) for s = 1 .. order of a model's own feature: sums of |<e_i, w_j>|, j != i, without normalisation,
 * rounded upward. */
DLTF_API dltf_status dltf_model_babel(const dltf_model *model, int64_t order, double *babel);

/* The one-to-one assignment of atoms to true atoms with the largest sum of |<w_i, w0_j>| (Hungarian method).
 * match[i] = j or -1; cosine[i] = |<w_i, w0_j>| or 0; both of length dictionary.rows, cosine may be NULL. */
DLTF_API dltf_status dltf_match(dltf_matrix dictionary, dltf_matrix truth, int32_t *match, float *cosine);

typedef struct dltf_support_score {
    double ave_dif; /* mean of |supp(z) xor supp(z0)| / 2: the paper's ave_dif */
    double exact;   /* fraction of samples whose whole support is correct */
} dltf_support_score;

/* Compares supports. Atoms of `codes` are first relabelled by `match` (an unmatched atom is always wrong);
 * NULL match: no relabelling. */
DLTF_API dltf_status dltf_supports_score_sized(const dltf_codes *codes, const dltf_codes *truth,
                                               const int32_t *match, dltf_support_score *score, size_t size);
static inline dltf_status dltf_supports_score(const dltf_codes *codes, const dltf_codes *truth,
                                              const int32_t *match, dltf_support_score *score) {
    return dltf_supports_score_sized(codes, truth, match, score, sizeof *score);
}

/* ---- Synthetic problems ------------------------------------------------------------------------ */

/* The entries of true codes: 1; 1 or -1; uniform in [0.5, 1.5]; standard normal. */
typedef enum dltf_entries {
    DLTF_ENTRIES_ONES,
    DLTF_ENTRIES_SIGNS,
    DLTF_ENTRIES_UNIFORM,
    DLTF_ENTRIES_GAUSSIAN
} dltf_entries;

/* The paper's protocol: W0 normalised Gaussian, codes with k ones at random positions, X = Z W0^T + noise.
 * Training and test set share W0. */
typedef struct dltf_synthetic_options {
    size_t size; /* of this struct: dltf_synthetic_options_default sets it */
    int64_t n, m, k, samples;
    double noise; /* standard deviation */
    int64_t seed;
    dltf_entries entries; /* ones in the paper */
} dltf_synthetic_options;

DLTF_API void dltf_synthetic_options_init(dltf_synthetic_options *options, size_t size);
static inline dltf_synthetic_options dltf_synthetic_options_default(void) {
    dltf_synthetic_options options;
    dltf_synthetic_options_init(&options, sizeof options);
    return options;
}

typedef struct dltf_synthetic dltf_synthetic;

/* Progress counts atoms and samples. */
DLTF_API dltf_status dltf_synthetic_new(const dltf_synthetic_options *options, dltf_progress_fn progress,
                                        void *context, dltf_synthetic **problem);
DLTF_API dltf_matrix dltf_synthetic_dictionary(const dltf_synthetic *problem);
DLTF_API dltf_matrix dltf_synthetic_samples(const dltf_synthetic *problem, bool test);
DLTF_API const dltf_codes *dltf_synthetic_codes(const dltf_synthetic *problem, bool test);
DLTF_API void dltf_synthetic_free(dltf_synthetic *problem);

#ifdef __cplusplus
}
#endif

#endif
