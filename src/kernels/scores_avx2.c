/* Scores with AVX2: 6 samples x 16 atoms in 12 registers, half a panel at a time. */
#include "kernels/level/level.h"

#include <immintrin.h>
#include <string.h>

enum { ROWS = 6, HALF = 16 };

/* Half a panel and R <= 6 samples; R is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) void block(const float *X, int64_t x_stride, const float *panel,
                                                        const float *bias, int64_t n, int64_t cols, float *S,
                                                        int64_t s_stride, const int R) {
    __m256 low[ROWS], high[ROWS];
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        low[r] = _mm256_loadu_ps(bias);
        high[r] = _mm256_loadu_ps(bias + 8);
    }
    for (int64_t d = 0; d < n; d++) {
        __m256 e0 = _mm256_loadu_ps(panel + d * DL_PANEL), e1 = _mm256_loadu_ps(panel + d * DL_PANEL + 8);
        DL_UNROLL
        for (int r = 0; r < R; r++) {
            __m256 x = _mm256_broadcast_ss(X + r * x_stride + d);
            low[r] = _mm256_fmadd_ps(x, e0, low[r]);
            high[r] = _mm256_fmadd_ps(x, e1, high[r]);
        }
    }
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        float sums[HALF];
        _mm256_storeu_ps(sums, low[r]);
        _mm256_storeu_ps(sums + 8, high[r]);
        memcpy(S + r * s_stride, sums, (size_t)(cols < HALF ? cols : HALF) * sizeof *S);
    }
}

#define CASE(R)                                                                                              \
    case R:                                                                                                  \
        block(X, x_stride, panel, bias, n, cols, S, s_stride, R);                                            \
        break;

static void half_panel(const float *X, int64_t x_stride, const float *panel, const float *bias, int64_t n,
                       int64_t cols, float *S, int64_t s_stride, int64_t rows) {
    switch (rows) {
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
    }
}

void dl_scores_avx2(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                    int64_t rows, float *S, int64_t s_stride) {
    for (int64_t half = 2 * first; half < 2 * last && half * HALF < E->m; half++) {
        const float *panel = E->data + half / 2 * E->n * DL_PANEL + half % 2 * HALF;
        for (int64_t i = 0; i < rows; i += ROWS)
            half_panel(X + i * x_stride, x_stride, panel, E->bias + half * HALF, E->n, E->m - half * HALF,
                       S + i * s_stride + (half - 2 * first) * HALF, s_stride,
                       rows - i < ROWS ? rows - i : ROWS);
    }
}
