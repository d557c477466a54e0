/* The methods of Table 3. A new method is a function, in a file of its own if it is long, and a row here. */
#ifndef EXPERIMENTS_TABLE3_H
#define EXPERIMENTS_TABLE3_H

#include "experiments/clustering.h"

/* Name, function, and the paper's ACC on MNIST, 0 if none. */
#define TABLE3_METHODS(ROW)                                                                                  \
    ROW("dltf-tf", table3_feature, .594)                                                                     \
    ROW("dltf-landmark", table3_landmark, 0)                                                                 \
    ROW("km", table3_km, .484)                                                                               \
    ROW("ae-1", table3_ae1, .507)                                                                            \
    ROW("ae-2", table3_ae2, .571)                                                                            \
    ROW("dec", table3_dec, .762)

/* Each learns from the training images, clusters the test images and fills in the metrics. */
#define TABLE3_DECLARE(name, function, paper)                                                                \
    dltf_status function(const experiment_cell *cell, const clustering_data *data, double *values);
TABLE3_METHODS(TABLE3_DECLARE)
#undef TABLE3_DECLARE

#endif
