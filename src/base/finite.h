/* Whether all of an array are finite numbers. Without branches, so that compilers vectorise the loops. */
#ifndef DL_BASE_FINITE_H
#define DL_BASE_FINITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool dl_all_finite(const float *values, int64_t count) {
    const uint32_t exponent = 0x7f800000u;
    uint32_t bad = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bad |= (bits & exponent) == exponent;
    }
    return !bad;
}

static inline bool dl_all_finite64(const double *values, int64_t count) {
    const uint64_t exponent = 0x7ff0000000000000u;
    uint64_t bad = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bad |= (bits & exponent) == exponent;
    }
    return !bad;
}

#endif
