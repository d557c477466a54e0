/* Writes PNG files line by line. */
#include "base/memory.h"
#include "io/formats/pixels.h"
#include "io/formats/png.h"
#include "io/formats/png_callbacks.h"

typedef struct sink {
    dl_png_state state;
    dl_writer *out;
    uint8_t *line;
} sink;

static void on_write(png_structp png, png_bytep bytes, size_t count) {
    sink *s = png_get_io_ptr(png);
    s->state.status = dl_writer_write(s->out, bytes, (int64_t)count);
    if (s->state.status != DLTF_OK)
        png_error(png, "write");
}

static void on_flush(png_structp png) {
    (void)png; /* the commit flushes */
}

/* No variable of this function changes between setjmp and longjmp except through pointers. */
static dltf_status encode(const dl_png_source *source, sink *s) {
    png_structp png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &s->state, dl_png_on_error, dl_png_on_warning,
                                  &s->state, dl_png_on_allocate, dl_png_on_free);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        return dl_fail(DLTF_MEMORY, "not enough memory to write the picture");
    }
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_write_fn(png, s, on_write, on_flush);
        png_set_user_limits(png, DL_PIXELS_MAX_SIDE, DL_PIXELS_MAX_SIDE);
        png_set_IHDR(png, info, (png_uint_32)source->width, (png_uint_32)source->height, source->bits,
                     source->channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png, info);
        for (int64_t y = 0; y < source->height; y++) {
            source->row(source->context, y, s->line);
            png_write_row(png, s->line);
        }
        png_write_end(png, NULL);
    }
    png_destroy_write_struct(&png, &info);
    return s->state.status;
}

dltf_status dl_png_write(const dl_png_source *source, dl_writer *out) {
    sink s = {.state = {DLTF_OK, DLTF_FILE, "cannot write the picture"}, .out = out};
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(s.line, source->width * source->channels * source->bits / 8);
    status = encode(source, &s);
done:
    dl_free(s.line);
    return status;
}

static void image_row(void *context, int64_t y, uint8_t *bytes) {
    dl_pixels_row(context, y, bytes);
}

dltf_status dl_png_write_image(const dltf_image *image, dl_writer *out) {
    if (image->width > DL_PIXELS_MAX_SIDE || image->height > DL_PIXELS_MAX_SIDE)
        return dl_fail(DLTF_ARGUMENT, "%lld x %lld pixels are too many for a PNG", (long long)image->width,
                       (long long)image->height);
    dl_png_source source = {image->width,          image->height, (int)image->channels,
                            dl_pixels_bits(image), image_row,     (void *)(uintptr_t)image};
    return dl_png_write(&source, out);
}
