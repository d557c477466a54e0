/* Scores with AVX2. */
#include "kernels/scores_tile_avx2.h"

#include <string.h>

static inline __attribute__((always_inline)) void tile(strip t, const float *X, float *S, int64_t s_stride,
                                                       const int R) {
    __m256 low[ROWS], high[ROWS];
    products(t, X, R, low, high);
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

/* One function for each number of samples: together they would take compilers minutes. */
#define TILE(R)                                                                                              \
    static __attribute__((noinline)) void tile_##R(const strip *t, const float *X, float *S,                 \
                                                   int64_t s_stride) {                                       \
        tile(*t, X, S, s_stride, R);                                                                         \
    }

TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)

static void (*const tiles[ROWS])(const strip *t, const float *X, float *S,
                                 int64_t s_stride) = {tile_1, tile_2, tile_3, tile_4, tile_5, tile_6};

void dl_scores_avx2(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                    int64_t rows, float *S, int64_t s_stride) {
    for (int64_t p = first; p < last; p++) {
        strip t = strip_at(E, p, x_stride);
        for (int64_t i = 0; i < rows; i += ROWS)
            tiles[(rows - i < ROWS ? rows - i : ROWS) - 1](
                &t, X + i * x_stride, S + i * s_stride + (p - first) * DL_PANEL, s_stride);
    }
}
