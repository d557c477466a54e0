/* The products of a tile with AVX2: 6 samples x 16 atoms in 12 registers, half a panel at a time. */
#ifndef DL_KERNELS_SCORES_TILE_AVX2_H
#define DL_KERNELS_SCORES_TILE_AVX2_H

#include "kernels/level/level.h"

#include <immintrin.h>

enum { ROWS = 6, HALF = 16 };

/* Half a panel. */
typedef struct strip {
    const float *panel, *bias;
    int64_t n, x_stride;
    int64_t atoms; /* that exist, from the first of the half on */
} strip;

static inline strip strip_at(const dl_packed *E, int64_t half, int64_t x_stride) {
    return (strip){E->data + half / 2 * E->n * DL_PANEL + half % 2 * HALF, E->bias + half * HALF, E->n,
                   x_stride, E->m - half * HALF};
}

/* R <= 6 samples; R is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) void products(strip t, const float *X, const int R,
                                                           __m256 low[ROWS], __m256 high[ROWS]) {
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        low[r] = _mm256_loadu_ps(t.bias);
        high[r] = _mm256_loadu_ps(t.bias + 8);
    }
    for (int64_t d = 0; d < t.n; d++) {
        __m256 e0 = _mm256_loadu_ps(t.panel + d * DL_PANEL), e1 = _mm256_loadu_ps(t.panel + d * DL_PANEL + 8);
        DL_UNROLL
        for (int r = 0; r < R; r++) {
            __m256 x = _mm256_broadcast_ss(X + r * t.x_stride + d);
            low[r] = _mm256_fmadd_ps(x, e0, low[r]);
            high[r] = _mm256_fmadd_ps(x, e1, high[r]);
        }
    }
}

/* The case of R rows in a switch: R becomes a constant of `call`. */
#define TILE_CASE(R, call)                                                                                   \
    case R:                                                                                                  \
        call;                                                                                                \
        break;

#endif
