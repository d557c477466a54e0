/* PGM and PPM images: https://netpbm.sourceforge.net/doc/pgm.html and ppm.html */
#ifndef DL_IO_FORMATS_PNM_H
#define DL_IO_FORMATS_PNM_H

#include "dltf/image.h"
#include "io/files/file.h"
#include "io/files/writer.h"

/* "P1" to "P6" followed by whitespace or a comment. */
bool dl_pnm_recognise(const uint8_t *bytes, int64_t size);

/* P2, P3 (text), P5, P6 (bytes), one image per file, maxval up to 65535. */
dltf_status dl_pnm_load(dl_file *file, dltf_image **image);

/* Writes P5 or P6. */
dltf_status dl_pnm_write(const dltf_image *image, dl_writer *out);

#endif
