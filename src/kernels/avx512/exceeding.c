/* Scores above cuts of their own, sixteen at a time. */
#include "kernels/level/level.h"

#include <immintrin.h>

int64_t DL_LEVELLED(dl_exceeding)(const float *scores, const float *cut, int64_t m, int32_t base,
                                  int32_t *index, float *value) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int64_t kept = 0;
    for (int64_t i = 0; i < m; i += 16) {
        __mmask16 there = m - i < 16 ? (__mmask16)((1u << (m - i)) - 1) : (__mmask16)0xffff;
        __m512 s = _mm512_maskz_loadu_ps(there, scores + i);
        __m512 c = _mm512_maskz_loadu_ps(there, cut + i);
        __mmask16 above = _mm512_mask_cmp_ps_mask(there, s, c, _CMP_NLE_UQ);
        if (!above)
            continue;
        __m512i at = _mm512_add_epi32(lanes, _mm512_set1_epi32(base + (int32_t)i));
        _mm512_mask_compressstoreu_epi32(index + kept, above, at);
        _mm512_mask_compressstoreu_ps(value + kept, above, s);
        kept += __builtin_popcount(above);
    }
    return kept;
}
