/* PNG images: https://www.w3.org/TR/png/ */
#ifndef DL_IO_FORMATS_PNG_H
#define DL_IO_FORMATS_PNG_H

#include "dltf/image.h"
#include "io/files/file.h"
#include "io/files/writer.h"

bool dl_png_recognise(const uint8_t *bytes, int64_t size);

/* Any PNG of 1 to 16 bits, gray, colour or palette, interlaced or not. Transparent pixels are an error. */
dltf_status dl_png_load(dl_file *file, dltf_image **image);

dltf_status dl_png_write_image(const dltf_image *image, dl_writer *out);

/* Lines generated while writing. `row` fills line y and is called in order; 16-bit values are big-endian. */
typedef struct dl_png_source {
    int64_t width, height;
    int channels, bits; /* 1 or 3; 8 or 16 */
    void (*row)(void *context, int64_t y, uint8_t *bytes);
    void *context;
} dl_png_source;

dltf_status dl_png_write(const dl_png_source *source, dl_writer *out);

#endif
