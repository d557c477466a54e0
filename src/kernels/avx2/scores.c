/* Scores with AVX2. */
#include "kernels/avx2/scores_tile.h"

#include <string.h>

static inline __attribute__((always_inline)) void tile(strip t, const float *X, float *S, int64_t s_stride,
                                                       const int R) {
    __m256 low[ROWS], high[ROWS];
    products(t, X, NULL, R, low, high);
    float last[ROWS * DL_PANEL]; /* scores of atoms that need not all exist */
    float *sums = t.atoms < DL_PANEL ? last : S;
    int64_t stride = t.atoms < DL_PANEL ? DL_PANEL : s_stride;
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        _mm256_storeu_ps(sums + r * stride, low[r]);
        _mm256_storeu_ps(sums + r * stride + 8, high[r]);
    }
    for (int r = 0; t.atoms < DL_PANEL && r < R; r++)
        memcpy(S + r * s_stride, last + r * DL_PANEL, (size_t)t.atoms * sizeof *S);
}

static void some_rows(strip t, const float *X, float *S, int64_t s_stride, int64_t rows) {
    switch (rows) {
        TILE_CASE(1, tile(t, X, S, s_stride, 1))
        TILE_CASE(2, tile(t, X, S, s_stride, 2))
        TILE_CASE(3, tile(t, X, S, s_stride, 3))
        TILE_CASE(4, tile(t, X, S, s_stride, 4))
        TILE_CASE(5, tile(t, X, S, s_stride, 5))
        TILE_CASE(6, tile(t, X, S, s_stride, 6))
    }
}

void dl_scores_avx2(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                    int64_t rows, float *S, int64_t s_stride) {
    for (int64_t p = first; p < last; p++) {
        strip t = strip_at(E, p, x_stride);
        for (int64_t i = 0; i < rows; i += ROWS)
            some_rows(t, X + i * x_stride, S + i * s_stride + (p - first) * DL_PANEL, s_stride,
                      rows - i < ROWS ? rows - i : ROWS);
    }
}
