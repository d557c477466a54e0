/* Red, green and blue as three planes that are nearly independent, and back. */
#ifndef DL_IMAGE_COLOUR_H
#define DL_IMAGE_COLOUR_H

#include <stdint.h>

/* Orthonormal, so that noise of one standard deviation in each channel stays so: (r+g+b)/sqrt 3,
 * (r-b)/sqrt 2, (r-2g+b)/sqrt 6. In place, three planes of `pixels`. */
void dl_colour_apart(float *planes, int64_t pixels);
void dl_colour_together(float *planes, int64_t pixels);

#endif
