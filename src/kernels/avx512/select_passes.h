/* The passes over scores of select_search.h with AVX-512. */
#ifndef DL_KERNELS_AVX512_SELECT_PASSES_H
#define DL_KERNELS_AVX512_SELECT_PASSES_H

#include "kernels/avx512/select.h"
#include "kernels/select_search.h"

static inline __attribute__((always_inline)) int64_t count_keys(const float *scores, int64_t m, bool positive,
                                                                uint32_t cut) {
    enum { FEW = 8 * LANES }; /* a sum over lanes costs more than counting the bits of so many masks */
    const __m512i bound = _mm512_set1_epi32((int)cut), one = _mm512_set1_epi32(1);
    int64_t j = 0, few = 0;
    if (m <= FEW) {
        for (; j < m; j += LANES)
            few += __builtin_popcount(_mm512_cmpgt_epi32_mask(load_keys(scores, j, m, positive), bound));
        return few;
    }
    __m512i count = _mm512_setzero_si512();
    for (; j + LANES <= m; j += LANES) {
        __m512i keys = keys_of(_mm512_loadu_si512(scores + j), positive);
        count = _mm512_mask_add_epi32(count, _mm512_cmpgt_epi32_mask(keys, bound), count, one);
    }
    if (j < m)
        count = _mm512_mask_add_epi32(
            count, _mm512_cmpgt_epi32_mask(load_keys(scores, j, m, positive), bound), count, one);
    return _mm512_reduce_add_epi32(count);
}

static int64_t count_above(const float *scores, int64_t m, bool positive, uint32_t cut) {
    return positive ? count_keys(scores, m, true, cut) : count_keys(scores, m, false, cut);
}

static inline __attribute__((always_inline)) summary summarise_keys(const float *scores, int64_t m,
                                                                    bool positive) {
    __m512i nonzero = _mm512_setzero_si512();
    __m512 square[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()}; /* two, to hide the latency */
    for (int64_t j = 0; j < m; j += LANES) {
        __m512i keys = j + LANES <= m ? keys_of(_mm512_loadu_si512(scores + j), positive)
                                      : load_keys(scores, j, m, positive);
        __m512 values = _mm512_castsi512_ps(keys), sum = _mm512_fmadd_ps(values, values, square[0]);
        nonzero =
            _mm512_mask_add_epi32(nonzero, _mm512_test_epi32_mask(keys, keys), nonzero, _mm512_set1_epi32(1));
        square[0] = square[1];
        square[1] = sum;
    }
    return (summary){_mm512_reduce_add_epi32(nonzero),
                     _mm512_reduce_add_ps(_mm512_add_ps(square[0], square[1]))};
}

static summary summarise(const float *scores, int64_t m, bool positive) {
    return positive ? summarise_keys(scores, m, true) : summarise_keys(scores, m, false);
}

static inline __attribute__((always_inline)) int32_t emit_keys(const float *scores, const int32_t *listed,
                                                               int64_t m, bool positive, uint32_t cut,
                                                               int64_t ties, int32_t base, output out) {
    const __m512i bound = _mm512_set1_epi32((int)cut), sixteen = _mm512_set1_epi32(LANES);
    __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int32_t kept = 0;
    places = _mm512_add_epi32(places, _mm512_set1_epi32(base));
    for (int64_t j = 0; j < m; j += LANES) {
        __mmask16 exist = (__mmask16)(m - j >= LANES ? 0xffff : (1 << (m - j)) - 1);
        __m512i bits = _mm512_maskz_loadu_epi32(exist, scores + j), keys = keys_of(bits, positive);
        __mmask16 chosen = _mm512_cmpgt_epi32_mask(keys, bound);
        if (ties > 0) {
            __mmask16 equal = (__mmask16)lowest_bits(_mm512_cmpeq_epi32_mask(keys, bound), ties);
            ties -= __builtin_popcount(equal);
            chosen |= equal;
        }
        append(out, kept, chosen, listed ? _mm512_maskz_loadu_epi32(exist, listed + j) : places, bits);
        places = _mm512_add_epi32(places, sixteen);
        kept += __builtin_popcount(chosen);
    }
    return kept;
}

#endif
