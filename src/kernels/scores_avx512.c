/* Scores with AVX-512: 12 samples x 32 atoms in 24 registers, samples read in place, the dictionary from
 * packed panels. */
#include "kernels/level/level.h"

#include <immintrin.h>

enum { ROWS = 12 };

/* One panel and R <= 12 samples; R is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) void block(const float *X, int64_t x_stride, const float *panel,
                                                        const float *bias, int64_t n, int64_t cols, float *S,
                                                        int64_t s_stride, const int R) {
    __m512 low[ROWS], high[ROWS];
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        low[r] = _mm512_loadu_ps(bias);
        high[r] = _mm512_loadu_ps(bias + 16);
    }
    for (int64_t d = 0; d < n; d++) {
        __m512 e0 = _mm512_loadu_ps(panel + d * DL_PANEL), e1 = _mm512_loadu_ps(panel + d * DL_PANEL + 16);
        DL_UNROLL
        for (int r = 0; r < R; r++) {
            __m512 x = _mm512_set1_ps(X[r * x_stride + d]);
            low[r] = _mm512_fmadd_ps(x, e0, low[r]);
            high[r] = _mm512_fmadd_ps(x, e1, high[r]);
        }
    }
    __mmask16 low_mask = (__mmask16)(cols >= 16 ? 0xffff : (1 << cols) - 1);
    __mmask16 high_mask = (__mmask16)(cols >= 32 ? 0xffff : cols > 16 ? (1 << (cols - 16)) - 1 : 0);
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        _mm512_mask_storeu_ps(S + r * s_stride, low_mask, low[r]);
        _mm512_mask_storeu_ps(S + r * s_stride + 16, high_mask, high[r]);
    }
}

/* The same for a last panel with at most 16 atoms: half the work. */
static inline __attribute__((always_inline)) void half_block(const float *X, int64_t x_stride,
                                                             const float *panel, const float *bias, int64_t n,
                                                             int64_t cols, float *S, int64_t s_stride,
                                                             const int R) {
    __m512 low[ROWS];
    DL_UNROLL
    for (int r = 0; r < R; r++)
        low[r] = _mm512_loadu_ps(bias);
    for (int64_t d = 0; d < n; d++) {
        __m512 e0 = _mm512_loadu_ps(panel + d * DL_PANEL);
        DL_UNROLL
        for (int r = 0; r < R; r++)
            low[r] = _mm512_fmadd_ps(_mm512_set1_ps(X[r * x_stride + d]), e0, low[r]);
    }
    __mmask16 mask = (__mmask16)(cols >= 16 ? 0xffff : (1 << cols) - 1);
    DL_UNROLL
    for (int r = 0; r < R; r++)
        _mm512_mask_storeu_ps(S + r * s_stride, mask, low[r]);
}

/* One sample and four panels: eight independent sums hide the latency of the multiply-adds. */
static void four_panels(const float *x, const float *panel, const float *bias, int64_t n, float *S) {
    __m512 sum[8];
    int64_t next = n * DL_PANEL;
    for (int j = 0; j < 8; j++)
        sum[j] = _mm512_loadu_ps(bias + 16 * j);
    for (int64_t d = 0; d < n; d++) {
        __m512 xd = _mm512_set1_ps(x[d]);
        DL_UNROLL
        for (int j = 0; j < 8; j++)
            sum[j] = _mm512_fmadd_ps(
                xd, _mm512_loadu_ps(panel + (j / 2) * next + d * DL_PANEL + (j % 2) * 16), sum[j]);
    }
    for (int j = 0; j < 8; j++)
        _mm512_storeu_ps(S + 16 * j, sum[j]);
}

#define CASE(function, R)                                                                                    \
    case R:                                                                                                  \
        function(X, x_stride, panel, bias, n, cols, S, s_stride, R);                                         \
        break;

#define ALL_CASES(function)                                                                                  \
    switch (rows) {                                                                                          \
        CASE(function, 1)                                                                                    \
        CASE(function, 2)                                                                                    \
        CASE(function, 3)                                                                                    \
        CASE(function, 4)                                                                                    \
        CASE(function, 5)                                                                                    \
        CASE(function, 6)                                                                                    \
        CASE(function, 7)                                                                                    \
        CASE(function, 8)                                                                                    \
        CASE(function, 9)                                                                                    \
        CASE(function, 10)                                                                                   \
        CASE(function, 11)                                                                                   \
        CASE(function, 12)                                                                                   \
    }

static void panel_rows(const float *X, int64_t x_stride, const float *panel, const float *bias, int64_t n,
                       int64_t cols, float *S, int64_t s_stride, int64_t rows) {
    if (cols > 16)
        ALL_CASES(block)
    else
        ALL_CASES(half_block)
}

void dl_scores_avx512(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                      int64_t rows, float *S, int64_t s_stride) {
    int64_t n = E->n, p = first;
    for (; rows == 1 && p + 4 <= last && (p + 4) * DL_PANEL <= E->m; p += 4)
        four_panels(X, E->data + p * n * DL_PANEL, E->bias + p * DL_PANEL, n, S + (p - first) * DL_PANEL);
    for (; p < last; p++) {
        int64_t left = E->m - p * DL_PANEL, cols = left < DL_PANEL ? left : DL_PANEL;
        for (int64_t i = 0; i < rows; i += ROWS)
            panel_rows(X + i * x_stride, x_stride, E->data + p * n * DL_PANEL, E->bias + p * DL_PANEL, n,
                       cols, S + i * s_stride + (p - first) * DL_PANEL, s_stride,
                       rows - i < ROWS ? rows - i : ROWS);
    }
}
