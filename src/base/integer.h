/* Minimum and maximum of integers. */
#ifndef DL_BASE_INTEGER_H
#define DL_BASE_INTEGER_H

#include <stdint.h>

static inline int64_t dl_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t dl_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

#endif
