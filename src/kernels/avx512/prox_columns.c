/* The passes of the prox over 16 columns side by side, one in each lane: like level/prox_columns.c, with the
 * same sums, but in registers. */
#include "kernels/avx512/transpose.h"
#include "kernels/level/level.h"

/* Rows of T whose sums are one lane of prox_count are LANES apart. */
enum { LANES = 16, GROUP = 4 * LANES };

void dl_prox_transpose_avx512(const float *C, int64_t m, int64_t count, float *T) {
    for (int64_t i = 0; i < m; i += LANES) {
        int64_t rows = m - i < LANES ? m - i : LANES;
        __mmask16 there = (__mmask16)((1 << rows) - 1);
        __m512i r[DL_COLUMNS];
        DL_UNROLL
        for (int l = 0; l < DL_COLUMNS; l++)
            r[l] = l < count ? _mm512_maskz_loadu_epi32(there, C + l * m + i) : _mm512_setzero_si512();
        dl_transpose(r);
        DL_UNROLL
        for (int l = 0; l < LANES; l++)
            if (l < rows)
                _mm512_storeu_ps(T + (i + l) * DL_COLUMNS, _mm512_abs_ps(_mm512_castsi512_ps(r[l])));
    }
}

/* Sums of 16 columns in two registers. */
typedef struct sums {
    __m512d low, high;
} sums;

static inline __attribute__((always_inline)) sums add(sums a, sums b) {
    return (sums){_mm512_add_pd(a.low, b.low), _mm512_add_pd(a.high, b.high)};
}

static inline __attribute__((always_inline)) sums widen(__m512 part) {
    return (sums){_mm512_cvtps_pd(_mm512_castps512_ps256(part)),
                  _mm512_cvtps_pd(_mm512_extractf32x8_ps(part, 1))};
}

static inline __attribute__((always_inline)) sums widen_counts(__m512i counts) {
    return (sums){_mm512_cvtepi32_pd(_mm512_castsi512_si256(counts)),
                  _mm512_cvtepi32_pd(_mm512_extracti32x8_epi32(counts, 1))};
}

static inline __attribute__((always_inline)) void store(double *out, sums s) {
    _mm512_storeu_pd(out, s.low);
    _mm512_storeu_pd(out + DL_COLUMNS / 2, s.high);
}

/* The thresholds of a pass, and its counts so far; below: entries that are not full. */
typedef struct tally {
    __m512 low, high;
    __m512i below, middle;
} tally;

static inline __attribute__((always_inline)) __m512 count_row(__m512 part, const float *row, tally *t) {
    const __m512i one = _mm512_set1_epi32(1);
    __m512 a = _mm512_loadu_ps(row);
    __mmask16 below = _mm512_cmp_ps_mask(a, t->high, _CMP_NGE_UQ);
    __mmask16 middle = _mm512_mask_cmp_ps_mask(below, a, t->low, _CMP_GT_OQ);
    t->below = _mm512_mask_add_epi32(t->below, below, t->below, one);
    t->middle = _mm512_mask_add_epi32(t->middle, middle, t->middle, one);
    return _mm512_mask_add_ps(part, middle, part, a);
}

/* The sums of one lane, in rows i, i + 16, ... of T. */
static inline __attribute__((always_inline)) sums count_lane(const float *T, int64_t m, int64_t i, tally *t) {
    sums s = {_mm512_setzero_pd(), _mm512_setzero_pd()};
    for (; i + GROUP - LANES < m; i += GROUP) {
        __m512 part = _mm512_setzero_ps();
        DL_UNROLL
        for (int r = 0; r < GROUP; r += LANES)
            part = count_row(part, T + (i + r) * DL_COLUMNS, t);
        s = add(s, widen(part));
    }
    if (i < m) {
        __m512 part = _mm512_setzero_ps();
        for (; i < m; i += LANES)
            part = count_row(part, T + i * DL_COLUMNS, t);
        s = add(s, widen(part));
    }
    return s;
}

/* Lanes are added in the order of prox_count: l and l + 8 first, then l + 4, l + 2 and l + 1. */
void dl_prox_count_columns_avx512(const float *T, int64_t m, const float *low, const float *high,
                                  dl_prox_pieces *pieces) {
    tally t = {_mm512_loadu_ps(low), _mm512_loadu_ps(high), _mm512_setzero_si512(), _mm512_setzero_si512()};
    sums four[4];
    for (int l = 0; l < 4; l++) {
        sums a = add(count_lane(T, m, l, &t), count_lane(T, m, l + 8, &t));
        four[l] = add(a, add(count_lane(T, m, l + 4, &t), count_lane(T, m, l + 12, &t)));
    }
    sums all = add(add(four[0], four[2]), add(four[1], four[3]));
    store(pieces->full, widen_counts(_mm512_sub_epi32(_mm512_set1_epi32((int32_t)m), t.below)));
    store(pieces->middle, widen_counts(t.middle));
    store(pieces->sum, all);
}
