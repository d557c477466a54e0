/* CIFAR-10 of --data: FOLDER/cifar10/data_batch_1.bin to data_batch_5.bin and test_batch.bin, in this order,
 * as scripts/fetch-data writes them. */
#ifndef EXPERIMENTS_CIFAR_H
#define EXPERIMENTS_CIFAR_H

#include "program/program.h"

/* For messages about missing data. */
#define CIFAR_WHERE "a folder with cifar10/*.bin in it (scripts/fetch-data cifar10)"

/* Descriptors of all images, DLTF_GIST_SIZE values in a row, and their classes, 0 .. 9. */
typedef struct cifar_gist {
    int64_t count;
    float *values;
    int64_t *labels;
} cifar_gist;

/* Whether all files are there; `folder` may be NULL. */
bool cifar_exists(const char *folder);

/* Reads the files and computes the descriptors: about half a minute on two cores. The result must be freed
 * after a failure, too. */
dltf_status cifar_gist_load(const char *folder, int64_t threads, dltf_progress_fn progress, void *context,
                            cifar_gist *gist);
void cifar_gist_free(cifar_gist *gist);

#endif
