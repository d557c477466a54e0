/* dltf_picture_save: rows of a matrix as gray tiles in a PNG, written one line of tiles at a time. libpng
 * reports failure by longjmp; all of it stays in this file. */
#include "base/memory.h"
#include "data/matrix.h"
#include "io/file.h"
#include "io/writer.h"

#include <inttypes.h>
#include <math.h>
#include <png.h>
#include <string.h>

enum { BORDER = 2, PAPER = 255, LEAST_SIDE = 32, MOST_PIXELS = 1 << 30 };

typedef struct picture {
    dltf_matrix tiles;
    int64_t width, height, columns; /* of a tile; of the grid */
    int64_t zoom;                   /* pixels per entry, so that small tiles can be seen */
    bool symmetric;
    int64_t pixels_across, pixels_down;
    double *values; /* one tile */
    uint8_t *gray;  /* one line of the grid: columns tiles of width x height */
    uint8_t *line;  /* one line of pixels */
} picture;

/* What a libpng callback needs; errors end up in `status`. */
typedef struct sink {
    dl_writer out;
    dltf_status status;
} sink;

static dltf_status check(dltf_matrix tiles, int64_t width, int64_t height, int64_t columns) {
    dltf_status status = dl_matrix_check(tiles, "tiles");
    int64_t area = 0;
    if (status != DLTF_OK)
        return status;
    if (width < 1 || height < 1 || !dl_multiply(width, height, &area) || area != tiles.cols)
        return dl_fail(DLTF_ARGUMENT,
                       "tiles of %" PRId64 " x %" PRId64 " do not fit rows of %" PRId64 " numbers", width,
                       height, tiles.cols);
    if (columns < 1)
        return dl_fail(DLTF_ARGUMENT, "a picture of %" PRId64 " columns: at least one is needed", columns);
    return dl_matrix_check_finite(tiles, "tiles");
}

/* count tiles of `side` pixels, borders between and around them; false if that is too large for a PNG. */
static bool extent(int64_t count, int64_t side, int64_t *pixels) {
    return dl_multiply(count, side + BORDER, pixels) && *pixels <= MOST_PIXELS - BORDER &&
           (*pixels += BORDER);
}

static dltf_status lay_out(picture *p) {
    int64_t side = p->width > p->height ? p->width : p->height;
    p->zoom = side < LEAST_SIDE ? (LEAST_SIDE + side - 1) / side : 1;
    if (p->columns > p->tiles.rows)
        p->columns = p->tiles.rows;
    int64_t lines = (p->tiles.rows + p->columns - 1) / p->columns;
    if (!extent(p->columns, p->width * p->zoom, &p->pixels_across) ||
        !extent(lines, p->height * p->zoom, &p->pixels_down))
        return dl_fail(DLTF_ARGUMENT,
                       "%" PRId64 " tiles of %" PRId64 " x %" PRId64 " are too many for a picture",
                       p->tiles.rows, p->width, p->height);
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(p->values, p->tiles.cols);
    DL_TRY_NEW(p->gray, p->tiles.cols * p->columns);
    DL_TRY_NEW(p->line, p->pixels_across);
done:
    return status;
}

/* Scales a tile to its own range. Halves first: the difference of two doubles may not be one. */
static void shade(const picture *p, uint8_t *gray) {
    double low = p->values[0], high = p->values[0];
    for (int64_t i = 1; i < p->tiles.cols; i++) {
        low = fmin(low, p->values[i]);
        high = fmax(high, p->values[i]);
    }
    if (p->symmetric) {
        high = fmax(fabs(low), fabs(high));
        low = -high;
    }
    double range = high / 2 - low / 2;
    for (int64_t i = 0; i < p->tiles.cols; i++) {
        double share = range > 0 ? (p->values[i] / 2 - low / 2) / range : 0.5;
        gray[i] = (uint8_t)lrint(255.0 * share);
    }
}

/* Line `y` of a grid line of `count` tiles, as pixels. */
static void draw_line(const picture *p, int64_t count, int64_t y) {
    memset(p->line, PAPER, (size_t)p->pixels_across);
    for (int64_t tile = 0; tile < count; tile++) {
        const uint8_t *from = p->gray + tile * p->tiles.cols + y * p->width;
        uint8_t *to = p->line + BORDER + tile * (p->width * p->zoom + BORDER);
        for (int64_t x = 0; x < p->width * p->zoom; x++)
            to[x] = from[x / p->zoom];
    }
}

static void write_border(png_structp png, const picture *p) {
    memset(p->line, PAPER, (size_t)p->pixels_across);
    for (int i = 0; i < BORDER; i++)
        png_write_row(png, p->line);
}

static void write_rows(png_structp png, const picture *p) {
    for (int64_t first = 0; first < p->tiles.rows; first += p->columns) {
        int64_t left = p->tiles.rows - first, count = left < p->columns ? left : p->columns;
        for (int64_t tile = 0; tile < count; tile++) {
            dl_matrix_row(p->tiles, first + tile, p->values);
            shade(p, p->gray + tile * p->tiles.cols);
        }
        write_border(png, p);
        for (int64_t y = 0; y < p->height; y++) {
            draw_line(p, count, y);
            for (int64_t repeat = 0; repeat < p->zoom; repeat++)
                png_write_row(png, p->line);
        }
    }
    write_border(png, p);
}

static void on_error(png_structp png, png_const_charp text) {
    sink *s = png_get_error_ptr(png);
    if (s->status == DLTF_OK)
        s->status = dl_fail(DLTF_FILE, "cannot write the picture: %s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png, (void)text;
}

static void on_write(png_structp png, png_bytep bytes, size_t count) {
    sink *s = png_get_io_ptr(png);
    s->status = dl_writer_write(&s->out, bytes, (int64_t)count);
    if (s->status != DLTF_OK)
        png_error(png, "write");
}

static void on_flush(png_structp png) {
    (void)png; /* the commit does */
}

static png_voidp on_allocate(png_structp png, png_alloc_size_t size) {
    void *memory = dl_alloc((int64_t)size, 1);
    sink *s = png_get_mem_ptr(png);
    if (!memory && s)
        s->status = DLTF_MEMORY;
    return memory;
}

static void on_free(png_structp png, png_voidp memory) {
    (void)png;
    dl_free(memory);
}

/* No variable of this function changes between setjmp and longjmp except through pointers. */
static dltf_status encode(const picture *p, sink *s) {
    png_structp png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, s, on_error, on_warning, s, on_allocate, on_free);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        return dl_fail(DLTF_MEMORY, "not enough memory to write the picture");
    }
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_write_fn(png, s, on_write, on_flush);
        png_set_user_limits(png, MOST_PIXELS, MOST_PIXELS);
        png_set_IHDR(png, info, (png_uint_32)p->pixels_across, (png_uint_32)p->pixels_down, 8,
                     PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                     PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png, info);
        write_rows(png, p);
        png_write_end(png, NULL);
    }
    png_destroy_write_struct(&png, &info);
    return s->status;
}

dltf_status dltf_picture_save(dltf_matrix tiles, int64_t width, int64_t height, int64_t columns,
                              bool symmetric, const char *path) {
    sink s = {.status = DLTF_OK};
    picture p = {
        .tiles = tiles, .width = width, .height = height, .columns = columns, .symmetric = symmetric};
    dltf_status status = check(tiles, width, height, columns);
    if (status != DLTF_OK)
        return status;
    DL_TRY(lay_out(&p));
    DL_TRY(dl_writer_open(&s.out, path));
    DL_TRY(encode(&p, &s));
    status = dl_writer_commit(&s.out);
done:
    dl_writer_abort(&s.out);
    dl_free(p.values);
    dl_free(p.gray);
    dl_free(p.line);
    return dl_file_result(status, path);
}
