/* Minimum and maximum of integers; real numbers as integers. */
#ifndef DL_BASE_INTEGER_H
#define DL_BASE_INTEGER_H

#include <stdint.h>

static inline int64_t dl_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t dl_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The integer part of a real number, limited to least .. most; `least` for NaN. A cast of a number that is
 * out of the range of the integer is undefined. */
static inline int64_t dl_integer(double value, int64_t least, int64_t most) {
    if (!(value > (double)least))
        return least;
    return value < (double)most ? (int64_t)value : most;
}

#endif
