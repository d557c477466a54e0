/* Binary codes as words of 64 bits, the first byte lowest. Written so that a word never passes through memory
 * in pieces: the processor would wait for the stores before it. */
#ifndef DL_KERNELS_WORD_H
#define DL_KERNELS_WORD_H

#include <stdint.h>
#include <string.h>

/* The 8 bytes at any alignment. */
static inline uint64_t dl_word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

/* The bytes from `first` on of a code of `width` bytes; zero beyond its end. */
static inline uint64_t dl_code_word(const uint8_t *code, int64_t width, int64_t first) {
    if (first + 8 <= width)
        return dl_word_at(code + first);
    if (width >= 8)
        return dl_word_at(code + width - 8) >> 8 * (first + 8 - width);
    uint64_t word = 0;
    for (int64_t b = first; b < width; b++)
        word |= (uint64_t)code[b] << 8 * (b - first);
    return word;
}

#endif
