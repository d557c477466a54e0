/* Binary codes as words of 64 bits. */
#ifndef DL_KERNELS_WORD_H
#define DL_KERNELS_WORD_H

#include <stdint.h>
#include <string.h>

/* The word at a byte of any alignment, the first byte lowest; if fewer than 8 bytes are left, the others are
 * zero. */
static inline uint64_t dl_word_at(const uint8_t *byte, int64_t left) {
    uint64_t word = 0;
    if (left >= 8)
        memcpy(&word, byte, 8);
    else
        memcpy(&word, byte, (size_t)left);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

#endif
