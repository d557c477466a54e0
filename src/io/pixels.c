/* Pixels as integers. */
#include "io/pixels.h"

#include <math.h>

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
