/* Pictures of tiles: rows of a matrix as gray images in a grid, rendered one line of pixels at a time. */
#ifndef DL_IMAGE_PICTURE_H
#define DL_IMAGE_PICTURE_H

#include "base/status.h"

typedef struct dl_picture {
    dltf_matrix tiles;
    int64_t width, height, columns; /* of a tile; of the grid */
    int64_t zoom;                   /* pixels per entry, so that small tiles can be seen */
    bool symmetric;                 /* zero is mid-gray */
    int64_t pixels_across, pixels_down;
    int64_t count;  /* tiles in the line of the grid that is being drawn */
    double *values; /* one tile */
    uint8_t *gray;  /* one line of the grid: columns tiles of width x height */
} dl_picture;

/* Refuses tiles that are not finite, or not width x height. */
dltf_status dl_picture_check(dltf_matrix tiles, int64_t width, int64_t height, int64_t columns);

/* Lays the tiles out; refuses a picture with a side of more than `most` pixels. Borrows the tiles. Close it
 * in any case. */
dltf_status dl_picture_open(dl_picture *picture, dltf_matrix tiles, int64_t width, int64_t height,
                            int64_t columns, bool symmetric, int64_t most);

/* Line y, pixels_across gray values. Lines must be asked for in order: each tile is shaded once. */
void dl_picture_line(dl_picture *picture, int64_t y, uint8_t *line);

void dl_picture_close(dl_picture *picture);

#endif
