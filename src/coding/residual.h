/* The reconstruction error of codes, as sums over pieces of the data. */
#ifndef DL_CODING_RESIDUAL_H
#define DL_CODING_RESIDUAL_H

#include "base/status.h"

/* sum ||x - Wz||^2 and sum ||x||^2, x as preprocessed by the model. Pieces of whole tiles, added in order,
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

/* For pieces of at most `max_rows` samples. */
dltf_status dl_residual_open(dl_residual *residual, const dltf_model *model, int threads, int64_t max_rows);
/* Fails with row, counted over all pieces, and column of the first NaN or infinity. */
dltf_status dl_residual_add(dl_residual *residual, dltf_matrix X, const dltf_codes *codes);
/* The same in two steps: the sums of the tiles of a piece whose first row is `first`, and their addition. */
dltf_status dl_residual_piece(dl_residual *residual, dltf_matrix X, int64_t first, const dltf_codes *codes);
dltf_status dl_residual_join(dl_residual *residual, double (*sums)[2], int64_t rows);
/* 0 for 0/0, infinite if only the samples are zero. */
double dl_residual_relative(const dl_residual *residual);
void dl_residual_close(dl_residual *residual);

/* Fails with row, counted from `first`, and column of the first NaN or infinity in X. */
dltf_status dl_find_not_finite(dltf_matrix X, int64_t first, double *row);

#endif
