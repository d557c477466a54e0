/* Images in files. */
#ifndef DL_IO_IMAGE_FILE_H
#define DL_IO_IMAGE_FILE_H

#include "base/status.h"
#include "dltf/image.h"

/* Checks that the image can be saved under this name: a supported extension, of a format that can store its
 * colours. Writes nothing. */
dltf_status dl_image_check_path(const dltf_image *image, const char *path);

#endif
