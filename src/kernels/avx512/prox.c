/* The two passes of the prox with AVX-512: like level/prox.c, with the same lanes and therefore the same
 * bytes, but entirely in registers. */
#include "kernels/level/level.h"

#include <immintrin.h>

enum { LANES = 16, GROUP = 4 * LANES };

/* Sums of 16 lanes in two registers, and the counts. */
typedef struct tally {
    __m512d low, high;
    int64_t above, full;
} tally;

static inline __attribute__((always_inline)) __m512 count_block(__m512 part, __m512 c, __m512 low,
                                                                __m512 high, tally *t) {
    __m512 a = _mm512_abs_ps(c);
    __mmask16 above = _mm512_cmp_ps_mask(a, low, _CMP_GT_OQ), full = _mm512_cmp_ps_mask(a, high, _CMP_GE_OQ);
    t->above += __builtin_popcount(above);
    t->full += __builtin_popcount(full);
    return _mm512_mask_add_ps(part, (__mmask16)(above & ~full), part, a);
}

static inline __attribute__((always_inline)) void add_part(__m512 part, tally *t) {
    t->low = _mm512_add_pd(t->low, _mm512_cvtps_pd(_mm512_castps512_ps256(part)));
    t->high = _mm512_add_pd(t->high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(part, 1)));
}

/* Adds the upper half of the lanes to the lower one until one is left. */
static inline __attribute__((always_inline)) double total(__m512d lanes) {
    __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(lanes), _mm512_extractf64x4_pd(lanes, 1));
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

static inline __attribute__((always_inline)) __mmask16 rest_mask(int64_t left) {
    return (__mmask16)((1 << left) - 1);
}

static inline __attribute__((always_inline)) __m512 apply_block(__m512 c, __m512 v, __m512 high, __m512 low) {
    const __m512 sign = _mm512_set1_ps(-0.0f);
    __m512 a = _mm512_abs_ps(c), shrunk = _mm512_fmadd_ps(a, high, _mm512_mul_ps(a, low));
    __m512 q = _mm512_min_ps(a, _mm512_max_ps(shrunk, v));
    return _mm512_or_ps(q, _mm512_and_ps(c, sign));
}

/* q = NULL: only counts. */
static inline __attribute__((always_inline)) dl_prox_piece pass(const float *c, int64_t m, float low,
                                                                float high, float v, double shrink,
                                                                float *q) {
    const float half = (float)shrink;
    const __m512 lows = _mm512_set1_ps(low), highs = _mm512_set1_ps(high), vs = _mm512_set1_ps(v);
    const __m512 upper = _mm512_set1_ps(half), lower = _mm512_set1_ps((float)(shrink - (double)half));
    tally t = {_mm512_setzero_pd(), _mm512_setzero_pd(), 0, 0};
    __m512 part = _mm512_setzero_ps(), x;
    int64_t i = 0;
    for (; i + GROUP <= m; i += GROUP) {
        part = _mm512_setzero_ps();
        DL_UNROLL
        for (int l = 0; l < GROUP; l += LANES) {
            x = _mm512_loadu_ps(c + i + l);
            part = count_block(part, x, lows, highs, &t);
            if (q)
                _mm512_storeu_ps(q + i + l, apply_block(x, vs, upper, lower));
        }
        add_part(part, &t);
    }
    part = _mm512_setzero_ps();
    for (; i < m; i += LANES) { /* a zero is never above, so the padding does not count */
        __mmask16 rest = m - i < LANES ? rest_mask(m - i) : (__mmask16)-1;
        x = _mm512_maskz_loadu_ps(rest, c + i);
        part = count_block(part, x, lows, highs, &t);
        if (q)
            _mm512_mask_storeu_ps(q + i, rest, apply_block(x, vs, upper, lower));
    }
    add_part(part, &t);
    return (dl_prox_piece){t.full, t.above - t.full, total(_mm512_add_pd(t.low, t.high))};
}

dl_prox_piece dl_prox_count_avx512(const float *c, int64_t m, float low, float high) {
    return pass(c, m, low, high, 0, 0, NULL);
}

dl_prox_piece dl_prox_try_avx512(const float *c, int64_t m, float low, float high, float v, double shrink,
                                 float *q) {
    return pass(c, m, low, high, v, shrink, q);
}

void dl_prox_apply_avx512(const float *c, int64_t m, float v, double shrink, float *q) {
    const float half = (float)shrink;
    const __m512 vs = _mm512_set1_ps(v), high = _mm512_set1_ps(half);
    const __m512 low = _mm512_set1_ps((float)(shrink - (double)half));
    int64_t i = 0;
    for (; i + LANES <= m; i += LANES)
        _mm512_storeu_ps(q + i, apply_block(_mm512_loadu_ps(c + i), vs, high, low));
    if (i < m) {
        __mmask16 rest = rest_mask(m - i);
        _mm512_mask_storeu_ps(q + i, rest, apply_block(_mm512_maskz_loadu_ps(rest, c + i), vs, high, low));
    }
}
