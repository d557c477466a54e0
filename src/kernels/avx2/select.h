/* What the parts of max_k with AVX2 share: loads and output. */
#ifndef DL_KERNELS_AVX2_SELECT_H
#define DL_KERNELS_AVX2_SELECT_H

#include "kernels/avx2/keys.h"
#include "kernels/level/level.h"
#include "kernels/select_output.h"

enum { LANES = 8 };

/* Eight words from position j of m on, zero past the end. */
static inline __attribute__((always_inline)) __m256i load(const void *words, int64_t j, int64_t m) {
    const int32_t *from = (const int32_t *)words + j;
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    if (m - j >= LANES)
        return _mm256_loadu_si256((const __m256i *)from);
    return _mm256_maskload_epi32(from, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(m - j)), lanes));
}

/* For each mask the positions of its set bits, lowest first, in one byte each. */
#define PLACE(mask, bit)                                                                                     \
    ((uint64_t)((mask) >> (bit)&1) * (bit) << 8 * __builtin_popcount((mask) & ((1 << (bit)) - 1)))
#define PLACES(mask)                                                                                         \
    (PLACE(mask, 1) | PLACE(mask, 2) | PLACE(mask, 3) | PLACE(mask, 4) | PLACE(mask, 5) | PLACE(mask, 6) |   \
     PLACE(mask, 7))
#define FOUR(mask) PLACES(mask), PLACES((mask) + 1), PLACES((mask) + 2), PLACES((mask) + 3)
#define SIXTEEN(mask) FOUR(mask), FOUR((mask) + 4), FOUR((mask) + 8), FOUR((mask) + 12)
#define SIXTY_FOUR(mask) SIXTEEN(mask), SIXTEEN((mask) + 16), SIXTEEN((mask) + 32), SIXTEEN((mask) + 48)

static const uint64_t places_of_bits[1 << LANES] = {SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128),
                                                    SIXTY_FOUR(192)};

/* Appends the chosen ones of eight scores. */
static inline __attribute__((always_inline)) void append(output out, int32_t kept, unsigned chosen,
                                                         __m256i places, __m256i bits) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&places_of_bits[chosen]));
    __m256i index = _mm256_permutevar8x32_epi32(places, order);
    __m256i value = _mm256_permutevar8x32_epi32(bits, order);
    if (kept + LANES <= out.room) {
        _mm256_storeu_si256((__m256i *)(out.index + kept), index);
        _mm256_storeu_si256((__m256i *)(out.value + kept), value);
    } else {
        __m256i front = _mm256_cmpgt_epi32(_mm256_set1_epi32(__builtin_popcount(chosen)), lanes);
        _mm256_maskstore_epi32(out.index + kept, front, index);
        _mm256_maskstore_epi32((int32_t *)out.value + kept, front, value);
    }
}

/* One row of m scores, any k; returns how many were kept. */
int32_t dl_select_row_avx2(const float *scores, int64_t m, int64_t k, bool positive, output out);

/* Rows in groups of eight, if selects_few(m, k); returns how many rows that are. */
int64_t dl_select_small_avx2(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k,
                             bool positive, int32_t *count, output out);

#endif
