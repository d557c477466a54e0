/* The images of the denoising experiment: from files, or drawn. */
#ifndef EXPERIMENTS_TEST_IMAGE_H
#define EXPERIMENTS_TEST_IMAGE_H

#include "dltf.h"

/* Whether DIR/NAME.png or DIR/images/NAME.png is there; no for a NULL folder. */
bool test_image_exists(const char *folder, const char *name);

/* That image, gray; TEST_IMAGE_DRAWN needs no file. */
dltf_status test_image_load(const char *folder, const char *name, dltf_image **image);

/* 256 x 256: edges, gradients and texture, the same every time. */
#define TEST_IMAGE_DRAWN "generated"

#endif
