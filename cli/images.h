/* Images as the command line sees them, for `dltf noise` and `dltf denoise`. */
#ifndef CLI_IMAGES_H
#define CLI_IMAGES_H

#include "dltf.h"

/* Refuses, with a sentence, a missing output or one whose name does not say a known format. Exit code. */
int images_check_output(const char *output);

/* Loads an image, and refuses an output (NULL: none) that does not fit its colours. Exit code. */
int images_load(const char *path, const char *output, dltf_image **image);

#endif
