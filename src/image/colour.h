/* The opponent colour transform: red, green and blue to three nearly independent planes, and back. */
#ifndef DL_IMAGE_COLOUR_H
#define DL_IMAGE_COLOUR_H

#include <stdint.h>

/* (r+g+b)/sqrt 3, (r-b)/sqrt 2, (r-2g+b)/sqrt 6, in place, for three planes of `pixels`. Orthonormal: white
 * noise keeps its standard deviation. */
void dl_rgb_to_opponent(float *planes, int64_t pixels);
void dl_opponent_to_rgb(float *planes, int64_t pixels);

#endif
