/* JPEG images: ITU-T T.81, read by libjpeg. */
#ifndef DL_IO_FORMATS_JPEG_H
#define DL_IO_FORMATS_JPEG_H

#include "dltf/image.h"
#include "io/files/file.h"

bool dl_jpeg_recognise(const uint8_t *bytes, int64_t size);

/* Gray or colour of 8 bits, baseline or progressive. CMYK, truncated and damaged files are errors. */
dltf_status dl_jpeg_load(dl_file *file, dltf_image **image);

#endif
