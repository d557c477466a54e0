/* Selection of the smallest values. */
#ifndef DL_RETRIEVAL_SMALLEST_H
#define DL_RETRIEVAL_SMALLEST_H

#include <stdint.h>

/* Moves the `rank` smallest of `count` values to the front, and returns the largest of them. 1 <= rank <=
 * count; no NaN. O(count) on average (Hoare's selection). */
float dl_smallest(float *values, int64_t count, int64_t rank);

#endif
