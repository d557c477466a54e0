/* Image files of `dltf noise` and `dltf denoise`. */
#ifndef CLI_IMAGES_H
#define CLI_IMAGES_H

#include "program/program.h"

/* Rejects a missing output or an unsupported extension. Returns an exit code. */
int images_check_output(const char *output);

/* Loads an image; rejects an output format that cannot hold it (NULL: no output). Returns an exit code. */
int images_load(const char *path, const char *output, dltf_image **image);

#endif
