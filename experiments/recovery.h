/* One cell of the experiments on synthetic data: a method learns from the training samples, or takes the true
 * or a random dictionary, and its features are compared with the true supports of the test samples. */
#ifndef EXPERIMENTS_RECOVERY_H
#define EXPERIMENTS_RECOVERY_H

#include "experiments/experiment.h"

enum { RECOVERY_AVE_DIF, RECOVERY_EXACT, RECOVERY_99, RECOVERY_90, RECOVERY_SECONDS, RECOVERY_METRICS };

/* Their names, NULL-terminated. */
extern const char *const recovery_metrics[];

/* The paper's synthetic problem: codes of k ones, n = 64, m = 128, noise 0.1, N = 10,000 (quick: 2,000). */
dltf_synthetic_options recovery_problem(bool quick, int64_t k, int64_t seed);

/* False for the methods that do not learn their dictionary: original, random. */
bool recovery_is_learned(const char *method);

/* The options of a learned method on a problem: dltf (the paper's tied feature), dltf-admm, admm-as-written,
 * ksvd; dltf- and an encoder: tight, dual, distilled, the last two also with -positive; dltf-2-passes,
 * dltf-omp, dltf-shortlist, dltf-shortlist-2. */
dltf_train_options recovery_options(const experiment_cell *cell, const dltf_synthetic_options *spec);

/* Adds the parameters of the problem and of the methods to the protocol. */
void recovery_protocol(const dltf_synthetic_options *spec, json_t *protocol);

/* Fills values[0 .. RECOVERY_METRICS-1]. `options` as above; the methods original and random use only its m
 * and k. */
dltf_status recovery_measure(const experiment_cell *cell, const dltf_synthetic_options *spec,
                             const dltf_train_options *options, double *values);

#endif
