/* Scores with NEON: 6 samples x 16 atoms in 24 registers. A step loads 4 vectors and
 * 6 numbers for its 24 multiply-adds. Every score is one chain of multiply-adds from -b_j on, so the height
 * of a tile does not change its bits. */
#include "kernels/level/level.h"

#include <arm_neon.h>
#include <string.h>

enum { ROWS = 6, LANES = 4, VECTORS = DL_PANEL / LANES };

/* A panel and R <= 6 samples; R is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) void block(const float *X, int64_t x_stride, const float *panel,
                                                        const float *bias, int64_t n, int64_t cols, float *S,
                                                        int64_t s_stride, const int R) {
    float32x4_t sum[ROWS][VECTORS], e[VECTORS];
    DL_UNROLL
    for (int r = 0; r < R; r++)
        DL_UNROLL
    for (int v = 0; v < VECTORS; v++)
        sum[r][v] = vld1q_f32(bias + v * LANES);
    for (int64_t d = 0; d < n; d++) {
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            e[v] = vld1q_f32(panel + d * DL_PANEL + v * LANES);
        DL_UNROLL
        for (int r = 0; r < R; r++) {
            float x = X[r * x_stride + d];
            DL_UNROLL
            for (int v = 0; v < VECTORS; v++)
                sum[r][v] = vfmaq_n_f32(sum[r][v], e[v], x);
        }
    }
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        float sums[DL_PANEL];
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            vst1q_f32(sums + v * LANES, sum[r][v]);
        memcpy(S + r * s_stride, sums, (size_t)(cols < DL_PANEL ? cols : DL_PANEL) * sizeof *S);
    }
}

#define CASE(R)                                                                                              \
    case R:                                                                                                  \
        block(X, x_stride, panel, bias, n, cols, S, s_stride, R);                                            \
        break;

static void some_rows(const float *X, int64_t x_stride, const float *panel, const float *bias, int64_t n,
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

void DL_LEVELLED(dl_scores)(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                            int64_t rows, float *S, int64_t s_stride) {
    for (int64_t p = first; p < last; p++) {
        const float *panel = E->data + p * E->n * DL_PANEL;
        for (int64_t i = 0; i < rows; i += ROWS)
            some_rows(X + i * x_stride, x_stride, panel, E->bias + p * DL_PANEL, E->n, E->m - p * DL_PANEL,
                      S + i * s_stride + (p - first) * DL_PANEL, s_stride, rows - i < ROWS ? rows - i : ROWS);
    }
}
