/* The data sets of the experiment on learners: a bounded number of training and held-out samples of each. */
#ifndef EXPERIMENTS_LEARNERS_DATA_H
#define EXPERIMENTS_LEARNERS_DATA_H

#include "experiments/experiment.h"

enum { LEARNERS_SETS = 6 };

const char *learners_set_name(int set);

/* n: entries of a sample. */
int64_t learners_set_columns(int set);

/* Whether learners subtract the mean of the training samples; patches have no mean of their own, and
 * synthetic samples are taken as they are. */
bool learners_set_centered(int set);

/* Whether the files of a set are there; `folder` may be NULL. */
bool learners_set_exists(int set, const char *folder);

/* Which sets are left out, and where they are to be had; NULL if none is. */
const char *learners_data_notice(const char *folder);

void learners_data_protocol(bool quick, json_t *protocol);

/* Samples, and what they live in. */
typedef struct learners_data {
    dltf_matrix training, test;
    dltf_array *files[2];
    float *patches[2];
    dltf_synthetic *problem;
} learners_data;

/* `seed` is that of the synthetic problem. The data must be freed after a failure, too. */
dltf_status learners_data_load(int set, const experiment_request *request, int64_t seed, learners_data *data);
void learners_data_free(learners_data *data);

#endif
