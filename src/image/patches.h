/* Patches of a plane: where they are, cutting them out, and one pass over all of them that turns estimates
 * into an image. Patches exist a tile at a time; all of them together never do. */
#ifndef DL_IMAGE_PATCHES_H
#define DL_IMAGE_PATCHES_H

#include "base/meter.h"
#include "data/samples.h"

/* One plane of an image. */
typedef struct dl_plane {
    const float *pixels; /* height x width */
    int64_t width, height;
} dl_plane;

/* Patches of side x side pixels, `stride` apart; the last of a line and the last line end at the border. */
typedef struct dl_grid {
    int64_t width, side, stride;
    int64_t last_x, last_y; /* corner of the last patch */
    int64_t columns, rows;  /* patches across and down */
} dl_grid;

dl_grid dl_grid_of(dl_plane plane, int64_t side, int64_t stride);

/* The first pixel of a patch: an index into the plane. */
int64_t dl_grid_offset(const dl_grid *grid, int64_t row, int64_t column);

/* Cuts out the patch that begins at `offset`, subtracts its mean, and returns the mean. */
float dl_patch_cut(dl_plane plane, int64_t side, int64_t offset, float *x);

/* `count` patches at random places (all patches, in order, where there are not more), without their mean. */
dltf_status dl_patch_sample(dl_plane plane, const dl_grid *grid, int64_t most, int64_t seed, float **X,
                            int64_t *count);

/* Up to DL_TILE patches, side by side in the image. */
typedef struct dl_patch_tile {
    int64_t rows;
    const int64_t *offset; /* first pixel of each */
    const float *X;        /* rows x n: the patches without their means */
    const float *mean;
    float *Y;      /* rows x n: the estimates, to be filled */
    float *weight; /* of each estimate, > 0, to be filled */
} dl_patch_tile;

typedef void (*dl_patch_estimate)(void *context, const dl_patch_tile *tile, int worker);

/* out = the weighted mean of all estimates that cover a pixel. A thread adds to a band of the image that no
 * other thread touches at that time, in an order that does not depend on the threads. Takes `units` of the
 * meter. */
dltf_status dl_patch_pass(dl_plane plane, const dl_grid *grid, int threads, dl_patch_estimate estimate,
                          void *context, dl_meter *meter, int64_t units, float *out);

#endif
