/* How well the thresholded features of a dictionary recover known supports, as measured in Table 1 of the
 * paper. */
#ifndef EXPERIMENTS_SUPPORT_H
#define EXPERIMENTS_SUPPORT_H

#include "program/program.h"

/* A test set with known supports. All fields are borrowed. */
typedef struct support_truth {
    dltf_matrix dictionary; /* m0 x n */
    dltf_matrix samples;    /* N x n */
    const dltf_codes *codes;
} support_truth;

typedef struct support_result {
    double ave_dif, exact;
    /* Share of the true atoms matched with |cos| > .99 and > .9, and the median |cos| of matched atoms; NaN
     * without matching. */
    double recovered_99, recovered_90, median_cosine;
} support_result;

/* Encodes the samples and compares supports, after a one-to-one matching of the model's atoms to the true
 * ones if `matched`, otherwise atom by atom. */
dltf_status support_measure(const dltf_model *model, const support_truth *truth,
                            const dltf_encode_options *encoding, bool matched, dltf_progress_fn progress,
                            void *context, support_result *result);

/* A tied model from a dictionary. */
dltf_status support_tied_model(dltf_matrix dictionary, int64_t k, dltf_model **model);

/* A tied model of independent Gaussian atoms: the paper's "random" row. */
dltf_status support_random_model(int64_t n, int64_t m, int64_t k, int64_t seed, dltf_model **model);

#endif
