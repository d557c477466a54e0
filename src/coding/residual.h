/* How much of the samples their codes leave out: sums that dltf_reconstruction_error and streams share. */
#ifndef DL_CODING_RESIDUAL_H
#define DL_CODING_RESIDUAL_H

#include "base/status.h"

/* sum ||x - Wz||^2 and sum ||x||^2, x as the model preprocesses it. Pieces of whole tiles, added in order,
 * give the same bytes as all samples at once, for any number of threads. */
typedef struct dl_residual {
    const dltf_model *model;
    int threads;
    int64_t rows; /* of all pieces so far */
    double error, energy;
    double *scratch; /* per thread: sample and reconstruction */
    float *sample;
    double (*sums)[2]; /* of each tile of a piece */
} dl_residual;

/* For pieces of at most `most` samples. */
dltf_status dl_residual_open(dl_residual *residual, const dltf_model *model, int threads, int64_t most);
/* Refuses NaN and infinity with row, counted over all pieces, and column. */
dltf_status dl_residual_add(dl_residual *residual, dltf_matrix X, const dltf_codes *codes);
/* 0 for 0/0, infinite if only the samples are zero. */
double dl_residual_relative(const dl_residual *residual);
void dl_residual_close(dl_residual *residual);

/* The first NaN or infinity in X, as a failure that counts rows from `first`. */
dltf_status dl_find_not_finite(dltf_matrix X, int64_t first, double *row);

#endif
