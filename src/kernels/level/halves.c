/* Conversion of float16. */
#include "kernels/level/level.h"

#include <string.h>

static inline float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The exponent of float16 has 5 bits and a bias of 15. Its bits in the place of a float's make a value that
 * is too small by 2^(127 - 15), subnormal or not. Infinity and NaN have all bits of the exponent. Without
 * branches, so that compilers vectorise it. */
void DL_LEVELLED(dl_floats_of_halves)(const void *halves, int64_t count, float *out) {
    const char *from = halves;
    for (int64_t i = 0; i < count; i++) {
        uint16_t bits;
        memcpy(&bits, from + i * (int64_t)sizeof bits, sizeof bits);
        uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = (uint32_t)(bits & 0x7fff) << 13, scaled;
        float value = float_of_bits(magnitude) * 0x1p112F;
        memcpy(&scaled, &value, sizeof scaled);
        uint32_t special = 0x7f800000 | magnitude;
        out[i] = float_of_bits(sign | (magnitude < 0x0f800000 ? scaled : special));
    }
}
