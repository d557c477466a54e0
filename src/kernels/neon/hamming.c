/* Hamming distances with NEON: the ones of each byte are counted, bytes are added over words, and the sums of
 * bytes at the end. */
#include "kernels/level/level.h"

#include <arm_neon.h>

/* A byte holds the sum of this many words: 8 bits each. Rows of a block fill VECTORS registers. */
enum { WORDS_PER_BYTE = 31, LANES_OF_WORDS = 2, VECTORS = 4, BLOCK = LANES_OF_WORDS * VECTORS };

static inline uint64x2_t add_bytes(uint64x2_t sum, uint8x16_t bytes) {
    return vpadalq_u32(sum, vpaddlq_u16(vpaddlq_u8(bytes)));
}

/* The 8 sums, in order, as 16-bit numbers. */
static inline uint16x8_t narrow(const uint64x2_t sum[VECTORS]) {
    uint32x4_t low = vcombine_u32(vmovn_u64(sum[0]), vmovn_u64(sum[1]));
    uint32x4_t high = vcombine_u32(vmovn_u64(sum[2]), vmovn_u64(sum[3]));
    return vcombine_u16(vmovn_u32(low), vmovn_u32(high));
}

static inline void block(const uint64_t *planes, int64_t words, int64_t rows, const uint64_t *query,
                         uint16_t *distances) {
    uint64x2_t sum[VECTORS];
    uint8x16_t bytes[VECTORS];
    DL_UNROLL
    for (int v = 0; v < VECTORS; v++)
        sum[v] = vdupq_n_u64(0);
    for (int64_t first = 0; first < words; first += WORDS_PER_BYTE) {
        int64_t last = first + WORDS_PER_BYTE < words ? first + WORDS_PER_BYTE : words;
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            bytes[v] = vdupq_n_u8(0);
        for (int64_t w = first; w < last; w++) {
            uint64x2_t q = vdupq_n_u64(query[w]);
            DL_UNROLL
            for (int v = 0; v < VECTORS; v++) {
                uint64x2_t x = vld1q_u64(planes + w * rows + v * LANES_OF_WORDS);
                bytes[v] = vaddq_u8(bytes[v], vcntq_u8(vreinterpretq_u8_u64(veorq_u64(x, q))));
            }
        }
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            sum[v] = add_bytes(sum[v], bytes[v]);
    }
    vst1q_u16(distances, narrow(sum));
}

void DL_LEVELLED(dl_hamming)(const uint64_t *planes, int64_t words, int64_t rows, const uint64_t *query,
                             uint16_t *distances) {
    for (int64_t r = 0; r < rows; r += BLOCK)
        block(planes + r, words, rows, query, distances + r);
}
