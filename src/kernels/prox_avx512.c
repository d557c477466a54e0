/* The two passes of the prox with AVX-512: like level/prox.c, with the same lanes and therefore the same
 * bytes, but entirely in registers. */
#include "kernels/level/level.h"

#include <immintrin.h>

enum { LANES = 16 };

/* Sums of 16 lanes in two registers, and the counts. */
typedef struct tally {
    __m512d low, high;
    int64_t above, full;
} tally;

static inline __attribute__((always_inline)) void count_block(__m512 c, __m512 low, __m512 high, tally *t) {
    __m512 a = _mm512_abs_ps(c);
    __mmask16 above = _mm512_cmp_ps_mask(a, low, _CMP_GT_OQ), full = _mm512_cmp_ps_mask(a, high, _CMP_GE_OQ);
    __m512 middle = _mm512_maskz_mov_ps((__mmask16)(above & ~full), a);
    t->low = _mm512_add_pd(t->low, _mm512_cvtps_pd(_mm512_castps512_ps256(middle)));
    t->high = _mm512_add_pd(t->high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(middle, 1)));
    t->above += __builtin_popcount(above);
    t->full += __builtin_popcount(full);
}

static inline __attribute__((always_inline)) __mmask16 rest_mask(int64_t left) {
    return (__mmask16)((1 << left) - 1);
}

dl_prox_piece dl_prox_count_avx512(const float *c, int64_t m, float low, float high) {
    const __m512 lows = _mm512_set1_ps(low), highs = _mm512_set1_ps(high);
    tally t = {_mm512_setzero_pd(), _mm512_setzero_pd(), 0, 0};
    int64_t i = 0;
    for (; i + LANES <= m; i += LANES)
        count_block(_mm512_loadu_ps(c + i), lows, highs, &t);
    if (i < m) /* a zero is never above, so the padding does not count */
        count_block(_mm512_maskz_loadu_ps(rest_mask(m - i), c + i), lows, highs, &t);
    double lane[8];
    _mm512_storeu_pd(lane, _mm512_add_pd(t.low, t.high));
    for (int l = 0; l < 4; l++)
        lane[l] += lane[l + 4];
    return (dl_prox_piece){t.full, t.above - t.full, (lane[0] + lane[2]) + (lane[1] + lane[3])};
}

static inline __attribute__((always_inline)) __m512 apply_block(__m512 c, __m512 v, __m512d shrink) {
    const __m512 sign = _mm512_set1_ps(-0.0f);
    __m512 a = _mm512_abs_ps(c);
    __m256 low = _mm512_cvtpd_ps(_mm512_mul_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(a)), shrink));
    __m256 high = _mm512_cvtpd_ps(_mm512_mul_pd(_mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1)), shrink));
    __m512 shrunk = _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
    __m512 q = _mm512_min_ps(a, _mm512_max_ps(shrunk, v));
    return _mm512_or_ps(q, _mm512_and_ps(c, sign));
}

void dl_prox_apply_avx512(const float *c, int64_t m, float v, double shrink, float *q) {
    const __m512 vs = _mm512_set1_ps(v);
    const __m512d shrinks = _mm512_set1_pd(shrink);
    int64_t i = 0;
    for (; i + LANES <= m; i += LANES)
        _mm512_storeu_ps(q + i, apply_block(_mm512_loadu_ps(c + i), vs, shrinks));
    if (i < m) {
        __mmask16 rest = rest_mask(m - i);
        _mm512_mask_storeu_ps(q + i, rest, apply_block(_mm512_maskz_loadu_ps(rest, c + i), vs, shrinks));
    }
}
