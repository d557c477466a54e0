#include "io/formats/png_bytes.h"

#include "io/formats/png.h"

#include <string.h>

typedef struct pixels {
    const uint8_t *first;
    int64_t stride;
} pixels;

static void copy_row(void *context, int64_t y, uint8_t *bytes) {
    const pixels *p = context;
    memcpy(bytes, p->first + y * p->stride, (size_t)p->stride);
}

dltf_status dl_png_bytes(const uint8_t *image, int64_t width, int64_t height, int channels, uint8_t **bytes,
                         int64_t *size) {
    pixels p = {image, width * channels};
    dl_png_source source = {width, height, channels, 8, copy_row, &p};
    dl_writer out;
    dl_writer_open_memory(&out);
    dltf_status status = dl_png_write(&source, &out);
    if (status == DLTF_OK)
        dl_writer_take(&out, bytes, size);
    else
        dl_writer_abort(&out);
    return status;
}
