/* Small PNG images in memory, for pages. */
#ifndef DL_IO_FORMATS_PNG_BYTES_H
#define DL_IO_FORMATS_PNG_BYTES_H

#include "base/status.h"

/* 8 bits, gray (channels = 1) or red, green, blue (3) side by side. Free the bytes with dl_free. */
dltf_status dl_png_bytes(const uint8_t *pixels, int64_t width, int64_t height, int channels, uint8_t **bytes,
                         int64_t *size);

#endif
