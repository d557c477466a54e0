/* Pixels as integers, as PNG, PGM and PPM store them. */
#ifndef DL_IO_PIXELS_H
#define DL_IO_PIXELS_H

#include "image/image.h"

/* Bits of a stored value: 16 for images of 16 bits, otherwise 8. */
static inline int dl_pixels_bits(const dltf_image *image) {
    return image->bits == 16 ? 16 : 8;
}

/* Line y: channels interleaved, values rounded and clipped, 16-bit values big-endian. */
void dl_pixels_row(const dltf_image *image, int64_t y, uint8_t *bytes);

#endif
