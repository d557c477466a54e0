/* Limits of images in files; pixels as integers. */
#include "io/formats/pixels.h"

#include "io/files/bytes.h"

#include <math.h>

dltf_status dl_pixels_check(int64_t width, int64_t height, int64_t memory, int64_t file_size) {
    enum { SMALL = 256 << 20, MAX_RATIO = 1024 };
    if (memory <= SMALL || memory / MAX_RATIO <= file_size)
        return DLTF_OK;
    return dl_fail(DLTF_FORMAT,
                   "%lld x %lld pixels in %s bytes: refused, since they take %s bytes of memory, more than "
                   "%d for each byte of the file",
                   (long long)width, (long long)height, DL_COMMAS(file_size), DL_COMMAS(memory), MAX_RATIO);
}

void dl_pixels_row(const dltf_image *image, int64_t y, uint8_t *bytes) {
    bool wide = dl_pixels_bits(image) == 16;
    for (int64_t x = 0; x < image->width; x++)
        for (int64_t c = 0; c < image->channels; c++) {
            float value = dl_image_plane(image, c)[y * image->width + x];
            value = value < 0 ? 0 : value > 255 ? 255 : value;
            long level = lrintf(wide ? 257 * value : value);
            if (wide)
                *bytes++ = (uint8_t)(level >> 8);
            *bytes++ = (uint8_t)level;
        }
}
