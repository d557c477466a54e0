/* Images in files. */
#ifndef DL_IO_IMAGE_FILE_H
#define DL_IO_IMAGE_FILE_H

#include "base/status.h"
#include "dltf/image.h"

/* Checks that the image can be saved under this name: a supported extension, of a format that can store its
 * colours. Writes nothing. */
dltf_status dl_image_check_path(const dltf_image *image, const char *path);

/* Whether the file of an image had an alpha channel, which was dropped because every pixel is opaque, or was
 * a JPEG, whose noise is not white. */
bool dl_image_dropped_alpha(const dltf_image *image);
bool dl_image_is_jpeg(const dltf_image *image);

#endif
