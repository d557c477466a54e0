/* Pixels as integers, as PNG, PGM and PPM store them. */
#ifndef DL_IO_FORMATS_PIXELS_H
#define DL_IO_FORMATS_PIXELS_H

#include "image/image.h"

/* Maximum width and height in a file, so that numbers of bytes do not overflow. */
enum { DL_PIXELS_MAX_SIDE = 1 << 24 };

/* For readers, before they allocate `memory` bytes. A compressed file can declare an image that takes 33,000
 * times its size: more than 1,024 times is accepted up to 256 MiB only. */
dltf_status dl_pixels_check(int64_t width, int64_t height, int64_t memory, int64_t file_size);

/* Bits of a stored value: 16 for images of 16 bits, otherwise 8. */
static inline int dl_pixels_bits(const dltf_image *image) {
    return image->bits == 16 ? 16 : 8;
}

/* Line y: channels interleaved, values rounded and clipped, 16-bit values big-endian. */
void dl_pixels_row(const dltf_image *image, int64_t y, uint8_t *bytes);

#endif
