/* Hamming distances of binary codes, without popcount instructions: the bits of each byte are added in
 * parallel, bytes are added over words, and the sums of bytes at the end. One code in each lane. */
#include "kernels/level/level.h"

#include <string.h>

/* A byte holds the sum of this many words: 8 bits each. */
enum { WORDS_PER_BYTE = 31, WORD_LANES = DL_LANES / 2, VECTORS = 4, BLOCK = VECTORS * WORD_LANES };

typedef uint64_t words __attribute__((vector_size(8 * WORD_LANES)));
typedef uint16_t shorts __attribute__((vector_size(2 * WORD_LANES)));

/* The number of ones in each byte. */
static inline words ones_of_bytes(words x) {
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    return (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
}

static inline words sum_of_bytes(words x) {
    x = (x & 0x00ff00ff00ff00ff) + (x >> 8 & 0x00ff00ff00ff00ff);
    x += x >> 32;
    return (x + (x >> 16)) & 0xffff;
}

static inline words load(const uint64_t *at) {
    words x;
    memcpy(&x, at, sizeof x);
    return x;
}

static inline void block(const uint64_t *planes, int64_t count, int64_t rows, const uint64_t *query,
                         uint16_t *distances) {
    words sum[VECTORS] = {{0}};
    for (int64_t first = 0; first < count; first += WORDS_PER_BYTE) {
        int64_t last = first + WORDS_PER_BYTE < count ? first + WORDS_PER_BYTE : count;
        words bytes[VECTORS] = {{0}};
        for (int64_t w = first; w < last; w++)
            DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            bytes[v] += ones_of_bytes(load(planes + w * rows + v * WORD_LANES) ^ query[w]);
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            sum[v] += sum_of_bytes(bytes[v]);
    }
    DL_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        shorts narrow = __builtin_convertvector(sum[v], shorts);
        memcpy(distances + v * WORD_LANES, &narrow, sizeof narrow);
    }
}

void DL_LEVELLED(dl_hamming)(const uint64_t *planes, int64_t words, int64_t rows, const uint64_t *query,
                             uint16_t *distances) {
    for (int64_t r = 0; r < rows; r += BLOCK)
        block(planes + r, words, rows, query, distances + r);
}
