/* Shared by the experiments on clustering: images with labels, and the figures of every method. */
#ifndef EXPERIMENTS_CLUSTERING_H
#define EXPERIMENTS_CLUSTERING_H

#include "experiments/experiment.h"

enum { CLUSTERING_SETS = 2, CLUSTERING_CLASSES = 10 };

/* Of the test images: accuracy and NMI; seconds to compute their features, and to cluster these. Then the
 * seconds of learning from the training images. */
enum { CLUSTERING_ACC, CLUSTERING_NMI, CLUSTERING_SECONDS, CLUSTERING_KMEANS, CLUSTERING_LEARNING };
extern const char *const clustering_metrics[];

const char *clustering_set_name(int set);
bool clustering_set_exists(int set, const experiment_request *request);
/* Which sets are skipped, and how to get them; NULL if none is. */
const char *clustering_notice(const experiment_request *request);
void clustering_protocol(bool quick, json_t *protocol);

/* m of the paper, less if quick. */
int64_t clustering_atoms(bool quick);

typedef struct clustering_data {
    dltf_matrix training, test;
    dltf_array *files[2];
    dltf_labels *labels; /* of the test images */
} clustering_data;

/* The first 10,000 training images, and the test images. Must be freed after a failure, too. */
dltf_status clustering_load(int set, const experiment_request *request, clustering_data *data);
void clustering_free(clustering_data *data);

/* Fills in accuracy and NMI of clusters of the test images. */
dltf_status clustering_score(const clustering_data *data, const int32_t *assignment, double *values);

/* Clusters the features of the test images, as codes or as rows of d floats, and fills in accuracy, NMI and
 * the time of k-means. */
dltf_status clustering_score_codes(const experiment_cell *cell, const clustering_data *data,
                                   const dltf_codes *codes, double *values);
dltf_status clustering_score_rows(const experiment_cell *cell, const clustering_data *data, const float *rows,
                                  int64_t d, double *values);

/* The options that all dictionaries share: m, k, seed, samples scaled to norm 1. `polished`: least squares
 * and multi-pass codes by turns, the learner's stage `polish` alone; otherwise K-SVD. */
dltf_train_options clustering_options(const experiment_cell *cell, int64_t k, bool polished);

/* Learns a dictionary, codes the test images with it, by the tied feature unless `encoding` has another
 * coder, and clusters the codes; fills in all metrics. */
dltf_status clustering_codes(const experiment_cell *cell, const clustering_data *data,
                             const dltf_train_options *options, const dltf_encode_options *encoding,
                             double *values);

#endif
