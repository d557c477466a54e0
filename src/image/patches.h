/* Patches of a plane: their positions, extraction, and a pass over all of them that averages estimates into
 * an image. Only one tile of patches per thread is in memory at a time. */
#ifndef DL_IMAGE_PATCHES_H
#define DL_IMAGE_PATCHES_H

#include "base/meter.h"
#include "data/samples.h"

/* One plane of an image. */
typedef struct dl_plane {
    const float *pixels; /* height x width */
    int64_t width, height;
} dl_plane;

/* Patches of side x side pixels, `stride` apart. The last column and row of patches end at the border. */
typedef struct dl_grid {
    int64_t width, side, stride;
    int64_t last_x, last_y; /* top left corner of the last patch */
    int64_t columns, rows;  /* number of patches across and down */
} dl_grid;

dl_grid dl_grid_of(dl_plane plane, int64_t side, int64_t stride);

/* Index of the first pixel of a patch in the plane. */
int64_t dl_grid_offset(const dl_grid *grid, int64_t row, int64_t column);

/* Copies the patch that begins at `offset` to x, subtracts its mean, and returns the mean. */
float dl_patch_cut(dl_plane plane, int64_t side, int64_t offset, float *x);

/* Allocates X and fills it with `count` patches at random positions, or with all patches in order if there
 * are at most `max_count`. Means are subtracted. */
dltf_status dl_patch_sample(dl_plane plane, const dl_grid *grid, int64_t max_count, int64_t seed, float **X,
                            int64_t *count);

/* Up to DL_TILE consecutive patches. */
typedef struct dl_patch_tile {
    int64_t rows;
    const int64_t *offset; /* first pixel of each */
    const float *X;        /* rows x n: the patches without their means */
    const float *mean;
    float *Y;      /* rows x n: estimates, written by the callback */
    float *weight; /* of each estimate, > 0, written by the callback */
} dl_patch_tile;

typedef void (*dl_patch_estimate)(void *context, const dl_patch_tile *tile, int worker);

/* Sets each pixel of `out` to the weighted mean of the estimates that cover it. No two threads write to the
 * same band at once, and the order of additions does not depend on the number of threads. Adds `units` to the
 * meter. */
dltf_status dl_patch_pass(dl_plane plane, const dl_grid *grid, int threads, dl_patch_estimate estimate,
                          void *context, dl_meter *meter, int64_t units, float *out);

#endif
