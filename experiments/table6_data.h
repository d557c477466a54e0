/* The samples of Table 6: MNIST from the folder of --data, or, if that is missing, synthetic ones for a quick
 * look. */
#ifndef EXPERIMENTS_TABLE6_DATA_H
#define EXPERIMENTS_TABLE6_DATA_H

#include "experiments/experiment.h"

enum { TABLE6_MNIST, TABLE6_SYNTHETIC, TABLE6_SETS };

const char *table6_set_name(int set);
/* Synthetic samples stand in for MNIST only if quick. */
bool table6_set_exists(int set, const experiment_request *request);
const char *table6_notice(const experiment_request *request);

/* Training samples: all of MNIST's, fewer if quick. A sixth of them takes the place of test samples in
 * validation. */
int64_t table6_samples(bool quick);

typedef struct table6_data {
    dltf_matrix training, test;
    int32_t *training_labels, *test_labels;
    dltf_array *files[2];
    dltf_synthetic *problem;
} table6_data;

/* Rows `first` to first + count - 1. */
dltf_matrix table6_rows(dltf_matrix X, int64_t first, int64_t count);

/* Must be freed after a failure, too. */
dltf_status table6_load(int set, const experiment_request *request, table6_data *data);
void table6_free(table6_data *data);

#endif
