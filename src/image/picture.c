/* Layout and shading of tiles, borders between and around them. */
#include "image/picture.h"

#include "base/memory.h"
#include "data/matrix.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BORDER = 2, BACKGROUND = 255, MIN_SIDE = 32 };

dltf_status dl_picture_check(dltf_matrix tiles, int64_t width, int64_t height, int64_t columns) {
    dltf_status status = dl_matrix_check_memory(tiles, DLTF_SUBJECT_TILES);
    int64_t area = 0;
    if (status != DLTF_OK)
        return status;
    if (width < 1 || height < 1 || !dl_multiply(width, height, &area) || area != tiles.cols)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_TILES,
                             "%" PRId64 " x %" PRId64 " pixels do not fit rows of %" PRId64 " numbers", width,
                             height, tiles.cols);
    if (columns < 1)
        return dl_fail(DLTF_ARGUMENT, "picture: %" PRId64 " columns: must be at least 1", columns);
    return dl_matrix_check_finite(tiles, DLTF_SUBJECT_TILES);
}

/* Size of `count` tiles of `side` pixels and their borders; false if it exceeds `max`. */
static bool extent(int64_t count, int64_t side, int64_t max, int64_t *pixels) {
    return dl_multiply(count, side + BORDER, pixels) && *pixels <= max - BORDER && (*pixels += BORDER);
}

dltf_status dl_picture_open(dl_picture *p, dltf_matrix tiles, int64_t width, int64_t height, int64_t columns,
                            dltf_gray scale, int64_t max_side) {
    *p = (dl_picture){.tiles = tiles, .width = width, .height = height, .columns = columns, .scale = scale};
    int64_t side = p->width > p->height ? p->width : p->height;
    p->zoom = side < MIN_SIDE ? (MIN_SIDE + side - 1) / side : 1;
    if (p->columns > p->tiles.rows)
        p->columns = p->tiles.rows;
    int64_t lines = (p->tiles.rows + p->columns - 1) / p->columns;
    if (!extent(p->columns, p->width * p->zoom, max_side, &p->pixels_across) ||
        !extent(lines, p->height * p->zoom, max_side, &p->pixels_down))
        return dl_fail(DLTF_ARGUMENT,
                       "%" PRId64 " tiles of %" PRId64 " x %" PRId64 " pixels are too many for a picture",
                       p->tiles.rows, p->width, p->height);
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(p->values, p->tiles.cols);
    DL_TRY_NEW(p->gray, p->tiles.cols * p->columns);
done:
    return status;
}

/* The values of a tile that are black and white. */
static void find_range(const dl_picture *p, double *low, double *high) {
    *low = 0;
    *high = 1;
    if (p->scale == DLTF_GRAY_UNIT)
        return;
    *low = *high = p->values[0];
    for (int64_t i = 1; i < p->tiles.cols; i++) {
        *low = fmin(*low, p->values[i]);
        *high = fmax(*high, p->values[i]);
    }
    if (p->scale == DLTF_GRAY_SYMMETRIC) {
        *high = fmax(fabs(*low), fabs(*high));
        *low = -*high;
    }
}

/* Halves the values first: their difference may overflow. */
static void shade(const dl_picture *p, uint8_t *gray) {
    double low = 0, high = 0;
    find_range(p, &low, &high);
    double range = high / 2 - low / 2;
    for (int64_t i = 0; i < p->tiles.cols; i++) {
        double share = range > 0 ? (p->values[i] / 2 - low / 2) / range : 0.5;
        gray[i] = (uint8_t)lrint(255.0 * fmin(fmax(share, 0), 1));
    }
}

/* Shades the tiles of one row of the grid and returns their number. */
static int64_t shade_tiles(const dl_picture *p, int64_t first) {
    int64_t left = p->tiles.rows - first, count = left < p->columns ? left : p->columns;
    for (int64_t tile = 0; tile < count; tile++) {
        dl_matrix_row(p->tiles, first + tile, p->values);
        shade(p, p->gray + tile * p->tiles.cols);
    }
    return count;
}

void dl_picture_line(dl_picture *p, int64_t y, uint8_t *line) {
    int64_t period = BORDER + p->height * p->zoom, inside = y % period - BORDER;
    memset(line, BACKGROUND, (size_t)p->pixels_across);
    if (inside < 0)
        return;
    if (inside == 0)
        p->count = shade_tiles(p, y / period * p->columns);
    for (int64_t tile = 0; tile < p->count; tile++) {
        const uint8_t *from = p->gray + tile * p->tiles.cols + inside / p->zoom * p->width;
        uint8_t *to = line + BORDER + tile * (p->width * p->zoom + BORDER);
        for (int64_t x = 0; x < p->width * p->zoom; x++)
            to[x] = from[x / p->zoom];
    }
}

void dl_picture_close(dl_picture *p) {
    dl_free(p->values);
    dl_free(p->gray);
}
