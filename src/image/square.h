/* Any image as a small gray square. */
#ifndef DL_IMAGE_SQUARE_H
#define DL_IMAGE_SQUARE_H

#include "base/status.h"
#include "dltf/image.h"

/* The middle square of the image in gray (.299 red + .587 green + .114 blue), reduced to side x side pixels.
 * A pixel is the mean of the area that it covers; an image of that size is not changed. */
void dl_image_square(const dltf_image *image, int64_t side, float *out);

#endif
