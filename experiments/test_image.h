/* Images of the denoising experiment: from files, or generated. */
#ifndef EXPERIMENTS_TEST_IMAGE_H
#define EXPERIMENTS_TEST_IMAGE_H

#include "program/program.h"

/* Whether FOLDER/NAME.png or FOLDER/images/NAME.png exists; false for a NULL folder. */
bool test_image_exists(const char *folder, const char *name);

/* Loads that image as gray; TEST_IMAGE_DRAWN needs no file. */
dltf_status test_image_load(const char *folder, const char *name, dltf_image **image);

/* 256 x 256: edges, gradients and texture; deterministic. */
#define TEST_IMAGE_DRAWN "generated"

#endif
