/* Keys of scores with AVX2. Scores are compared by their bits, as integers: the order of nonnegative floats,
 * with NaN above all. */
#ifndef DL_KERNELS_AVX2_KEYS_H
#define DL_KERNELS_AVX2_KEYS_H

#include <immintrin.h>
#include <stdbool.h>

/* The keys that rank scores: their magnitude bits, 0 if they must not be kept. */
static inline __attribute__((always_inline)) __m256i keys_of(__m256i bits, bool positive) {
    __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff));
    if (!positive)
        return magnitude;
    /* Negative numbers are excluded; NaN and infinity are not, so that the caller sees them. */
    __m256i finite = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x7f800000), magnitude);
    return _mm256_andnot_si256(_mm256_and_si256(_mm256_srai_epi32(bits, 31), finite), magnitude);
}

/* One bit for each lane of a comparison. */
static inline unsigned bits_of(__m256i comparison) {
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(comparison));
}

#endif
