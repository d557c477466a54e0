/* Pictures of tiles: rows of a matrix drawn as gray images in a grid, one line of pixels at a time. */
#ifndef DL_IMAGE_PICTURE_H
#define DL_IMAGE_PICTURE_H

#include "base/status.h"
#include "dltf/image.h"

typedef struct dl_picture {
    dltf_matrix tiles;
    int64_t width, height, columns; /* width and height of a tile; columns of the grid */
    int64_t zoom;                   /* pixels per entry, to enlarge small tiles */
    dltf_gray scale;
    int64_t pixels_across, pixels_down;
    int64_t count;  /* tiles in the current row of the grid */
    double *values; /* one tile */
    uint8_t *gray;  /* one row of the grid: `columns` tiles of width x height */
} dl_picture;

/* Fails if a value is not finite, or rows do not have width x height entries. */
dltf_status dl_picture_check(dltf_matrix tiles, int64_t width, int64_t height, int64_t columns);

/* Lays out the tiles. Fails if a side of the picture exceeds `max_side` pixels. Borrows the tiles. Must be
 * closed even after a failure. */
dltf_status dl_picture_open(dl_picture *picture, dltf_matrix tiles, int64_t width, int64_t height,
                            int64_t columns, dltf_gray scale, int64_t max_side);

/* Draws line y: pixels_across gray values. Lines must be drawn in order, since each tile is shaded once. */
void dl_picture_line(dl_picture *picture, int64_t y, uint8_t *line);

void dl_picture_close(dl_picture *picture);

#endif
