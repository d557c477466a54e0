/* Reads PNG files into planes, line by line (interlaced files at once). The header is checked against the
 * size of the file before allocating: deflate expands a byte to at most 1032. */
#include "base/memory.h"
#include "image/image.h"
#include "io/files/bytes.h"
#include "io/formats/pixels.h"
#include "io/formats/png.h"
#include "io/formats/png_callbacks.h"

enum { MAX_CHUNK = 8 << 20, MAX_RATIO = 1032, SIGNATURE = 8 };

typedef struct reader {
    dl_png_state state;
    const dl_file *file;
    int64_t at;
    png_structp png;
    png_infop info;
    int64_t width, height, row_bytes; /* of a line after expansion */
    int channels, depth, passes;
    uint8_t *lines; /* one line; all of them if interlaced */
    dltf_image *image;
} reader;

bool dl_png_recognise(const uint8_t *bytes, int64_t size) {
    return size >= SIGNATURE && png_sig_cmp(bytes, 0, SIGNATURE) == 0;
}

static void on_read(png_structp png, png_bytep bytes, size_t count) {
    reader *r = png_get_io_ptr(png);
    if ((int64_t)count > r->file->size - r->at) {
        r->state.status =
            dl_fail(DLTF_FORMAT, "truncated: %s bytes are not a complete PNG", DL_COMMAS(r->file->size));
        png_error(png, "truncated");
    }
    memcpy(bytes, r->file->bytes + r->at, count);
    r->at += (int64_t)count;
}

/* Leaves by longjmp, as libpng does. The message is already set. */
static void give_up(reader *r, dltf_status status) {
    r->state.status = status;
    png_error(r->png, "refused");
}

static void read_header(reader *r) {
    png_set_user_limits(r->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(r->png, MAX_CHUNK);
    /* Skip text, colour profiles and other ancillary chunks: libpng allocates as much as they declare. */
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(r->png, r->info);
    r->width = png_get_image_width(r->png, r->info);
    r->height = png_get_image_height(r->png, r->info);
    if (r->width > DL_PIXELS_MAX_SIDE || r->height > DL_PIXELS_MAX_SIDE)
        give_up(r, dl_fail(DLTF_FORMAT, "%lld x %lld pixels: width and height must be at most %s",
                           (long long)r->width, (long long)r->height, DL_COMMAS(DL_PIXELS_MAX_SIDE)));
    int64_t raw = r->height * (int64_t)(png_get_rowbytes(r->png, r->info) + 1);
    if (raw / MAX_RATIO > r->file->size)
        give_up(r, dl_fail(DLTF_FORMAT, "corrupt: %s bytes cannot hold the declared %lld x %lld pixels",
                           DL_COMMAS(r->file->size), (long long)r->width, (long long)r->height));
}

/* Converts everything to 8 or 16 bits of gray or colour, with alpha if present. */
static void expand(reader *r) {
    png_set_expand(r->png);
    r->passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    r->channels = png_get_channels(r->png, r->info);
    r->depth = png_get_bit_depth(r->png, r->info);
    r->row_bytes = (int64_t)png_get_rowbytes(r->png, r->info);
}

static void allocate(reader *r) {
    int64_t colours = r->channels < 3 ? 1 : 3, lines = r->passes > 1 ? r->height : 1;
    int64_t planes = r->width * r->height * colours * (int64_t)sizeof(float);
    dltf_status status = dl_pixels_check(r->width, r->height, planes + lines * r->row_bytes, r->file->size);
    if (status != DLTF_OK)
        give_up(r, status);
    r->lines = dl_alloc(lines * r->row_bytes, 1);
    if (!r->lines)
        give_up(r, DLTF_MEMORY);
    status = dltf_image_new(r->width, r->height, colours, r->depth == 16 ? 16 : 8, &r->image);
    if (status != DLTF_OK)
        give_up(r, status);
    r->image->alpha = r->channels > colours;
}

static int value_at(const reader *r, const uint8_t *line, int64_t index) {
    return r->depth == 16 ? line[2 * index] << 8 | line[2 * index + 1] : line[index];
}

static void convert_line(reader *r, const uint8_t *line, int64_t y) {
    int colours = r->channels < 3 ? 1 : 3, opaque = r->depth == 16 ? 65535 : 255;
    float unit = r->depth == 16 ? 257.0f : 1.0f;
    for (int64_t x = 0; x < r->width; x++) {
        for (int c = 0; c < colours; c++)
            dl_image_plane(r->image, c)[y * r->width + x] =
                (float)value_at(r, line, x * r->channels + c) / unit;
        if (r->channels > colours && value_at(r, line, x * r->channels + colours) != opaque)
            give_up(r, dl_fail(DLTF_FORMAT,
                               "pixel at row %lld, column %lld is transparent: flatten the image first",
                               (long long)y, (long long)x));
    }
}

static void read_lines(reader *r) {
    for (int pass = 0; pass < r->passes; pass++)
        for (int64_t y = 0; y < r->height; y++) {
            uint8_t *line = r->lines + (r->passes > 1 ? y * r->row_bytes : 0);
            png_read_row(r->png, line, NULL);
            if (pass == r->passes - 1)
                convert_line(r, line, y);
        }
    png_read_end(r->png, NULL);
}

/* No variable of this function changes between setjmp and longjmp except through pointers. */
static dltf_status decode(reader *r) {
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &r->state, dl_png_on_error, dl_png_on_warning,
                                      &r->state, dl_png_on_allocate, dl_png_on_free);
    r->info = r->png ? png_create_info_struct(r->png) : NULL;
    if (!r->info)
        return dl_fail(DLTF_MEMORY, "not enough memory to read the image");
    if (setjmp(png_jmpbuf(r->png)) == 0) {
        png_set_read_fn(r->png, r, on_read);
        read_header(r);
        expand(r);
        allocate(r);
        read_lines(r);
    }
    return r->state.status;
}

dltf_status dl_png_load(dl_file *file, dltf_image **image) {
    reader r = {.state = {DLTF_OK, DLTF_FORMAT, "corrupt PNG"}, .file = file};
    dltf_status status = decode(&r);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    dl_free(r.lines);
    if (status == DLTF_OK)
        *image = r.image;
    else
        dltf_image_free(r.image);
    return status;
}
