/* What the parts of max_k with AVX-512 share: keys and output.
 *
 * Scores are compared by their bits, as integers: the order of nonnegative floats, with NaN above all. */
#ifndef DL_KERNELS_AVX512_SELECT_H
#define DL_KERNELS_AVX512_SELECT_H

#include "kernels/level/level.h"
#include "kernels/select_output.h"

#include <immintrin.h>

enum { LANES = 16 };

/* The key that ranks a score: its magnitude bits, 0 if it must not be kept. */
static inline __attribute__((always_inline)) __m512i keys_of(__m512i bits, bool positive) {
    __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
    if (!positive)
        return magnitude;
    /* Negative numbers are excluded; NaN and infinity are not, so that the caller sees them. */
    __mmask16 excluded =
        _mm512_mask_cmplt_epi32_mask(_mm512_movepi32_mask(bits), magnitude, _mm512_set1_epi32(0x7f800000));
    return _mm512_mask_mov_epi32(magnitude, excluded, _mm512_setzero_si512());
}

/* The keys of sixteen scores from position j of m, zero past the end. */
static inline __attribute__((always_inline)) __m512i load_keys(const float *scores, int64_t j, int64_t m,
                                                               bool positive) {
    __mmask16 valid = (__mmask16)(m - j >= LANES ? 0xffff : (1 << (m - j)) - 1);
    return keys_of(_mm512_castps_si512(_mm512_maskz_loadu_ps(valid, scores + j)), positive);
}

/* Appends the chosen ones of sixteen scores. Compressed in a register, then stored: the memory form of the
 * instruction is slow too. */
static inline __attribute__((always_inline)) void append(output out, int64_t kept, __mmask16 chosen,
                                                         __m512i places, __m512i bits) {
    __m512i index = _mm512_maskz_compress_epi32(chosen, places);
    __m512i value = _mm512_maskz_compress_epi32(chosen, bits);
    if (kept + LANES <= out.room) {
        _mm512_storeu_si512(out.index + kept, index);
        _mm512_storeu_si512(out.value + kept, value);
    } else {
        __mmask16 front = (__mmask16)((1u << __builtin_popcount(chosen)) - 1);
        _mm512_mask_storeu_epi32(out.index + kept, front, index);
        _mm512_mask_storeu_epi32(out.value + kept, front, value);
    }
}

/* One row of m scores, any k; returns how many were kept. */
int32_t dl_select_row_avx512(const float *scores, int64_t m, int64_t k, bool positive, output out);

/* Any number of rows, if selects_few(m, k). */
void dl_select_small_avx512(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                            int32_t *count, output out);

#endif
