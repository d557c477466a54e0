/* The reconstruction error of codes and the variance it is compared with, as sums over pieces of the data. */
#ifndef DL_CODING_RESIDUAL_H
#define DL_CODING_RESIDUAL_H

#include "coding/decode.h"
#include "data/samples.h"

/* sum ||x - Wz||^2 and sum ||x||^2, x as preprocessed by the model, and the variance sum ||x - mean||^2 of
 * the samples that the model decodes to: the data itself or, with unit_norm, the preprocessed samples. Pieces
 * of whole tiles, added in order, give the same bytes as all samples at once, for any number of threads. */
typedef struct dl_coded dl_coded;

typedef struct dl_residual {
    const dltf_model *model;
    int threads;
    int64_t room; /* rows of a piece, at most: whole tiles, unless that is all there are */
    int64_t rows; /* of all pieces so far */
    double error, energy, variance;
    double *mean;    /* n: of the samples so far */
    double *scratch; /* per thread: sample, reconstruction and squares about the mean of a tile */
    float *sample;   /* per thread */
    double *sums;    /* of each tile of a piece: dl_residual_width numbers */
    float *targets;  /* per thread: those of a tile, if they are watched */
    void (*watch)(void *context, const dl_coded *sample);
    void *context;
} dl_residual;

/* A sample whose code was added, for further sums. */
struct dl_coded {
    int64_t tile, number; /* of the piece; in the tile */
    int worker;
    const float *x;        /* n: as preprocessed */
    const float *target;   /* n: what the reconstruction is compared with: the data or, with unit_norm, the
                            * scaled   sample before the offset */
    const double *decoded; /* n: Wz */
    dl_code code;
};

/* Error, energy and variance of a tile, then its mean. */
int64_t dl_residual_width(int64_t n);

/* For pieces of at most `max_rows` samples, as dl_residual_add cuts them itself. */
dltf_status dl_residual_open(dl_residual *residual, const dltf_model *model, int threads, int64_t max_rows);
/* Fails with row, counted over all pieces, and column of the first NaN or infinity. */
dltf_status dl_residual_add(dl_residual *residual, dltf_matrix X, const dltf_codes *codes);

/* Calls `watch` for every sample, on the thread that sums its tile. */
dltf_status dl_residual_watch(dl_residual *residual, void (*watch)(void *context, const dl_coded *sample),
                              void *context);
/* Wz, in place of the one that the worker decoded last. */
const double *dl_residual_decode(dl_residual *residual, int worker, dl_code code);

/* The same while samples are being coded, so that they are loaded once. One thread, `worker`, sums a tile:
 * begins it, loads its samples in order, adds the codes of its samples, and ends it. */
void dl_residual_begin(dl_residual *residual, int64_t tile, int worker);
/* Loads sample i, number `number` of the tile, as dl_samples_row does. */
void dl_residual_load(dl_residual *residual, const dl_samples *samples, int64_t tile, int worker, int64_t i,
                      int64_t number, float *out);
void dl_residual_code(dl_residual *residual, int64_t tile, int worker, int64_t number, const float *sample,
                      dl_code code);
/* The same with a reconstruction that was computed elsewhere. */
void dl_residual_given(dl_residual *residual, int64_t tile, const float *sample, const double *x);
void dl_residual_end(dl_residual *residual, int64_t tile, int worker);
/* Checks the sums of all tiles of the piece X, whose first row is `first`: fails as dl_residual_add. */
dltf_status dl_residual_check(dl_residual *residual, dltf_matrix X, int64_t first);
/* Adds the sums of the tiles of a piece of `rows` samples. */
dltf_status dl_residual_join(dl_residual *residual, const double *sums, int64_t rows);

/* 0 for 0/0, infinite if only the samples are zero. */
double dl_residual_relative(const dl_residual *residual);
/* 1 - error / variance; NaN if all samples are equal, or their variance is out of range. */
double dl_residual_explained(const dl_residual *residual);
void dl_residual_close(dl_residual *residual);

/* Fails with row, counted from `first`, and column of the first NaN or infinity in X. */
dltf_status dl_find_not_finite(dltf_matrix X, int64_t first, double *row);

#endif
