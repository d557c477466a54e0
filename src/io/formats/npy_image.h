/* Images as .npy: floats of shape height x width or height x width x 3, not rescaled. */
#ifndef DL_IO_FORMATS_NPY_IMAGE_H
#define DL_IO_FORMATS_NPY_IMAGE_H

#include "dltf/image.h"
#include "io/files/file.h"
#include "io/files/writer.h"

dltf_status dl_npy_load_image(dl_file *file, dltf_image **image);
dltf_status dl_npy_write_image(const dltf_image *image, dl_writer *out);

#endif
