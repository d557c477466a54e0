/* The products of a tile with AVX2: 6 samples x 16 atoms in 12 registers. */
#ifndef DL_KERNELS_AVX2_SCORES_TILE_H
#define DL_KERNELS_AVX2_SCORES_TILE_H

#include "kernels/level/level.h"

#include <immintrin.h>

enum { ROWS = 6 };

/* What the tiles of a panel have in common. */
typedef struct strip {
    const float *panel, *bias;
    int64_t n, x_stride;
    int64_t atoms; /* that exist, from the first of the panel on */
} strip;

static inline strip strip_at(const dl_packed *E, int64_t p, int64_t x_stride) {
    return (strip){E->data + p * E->n * DL_PANEL, E->bias + p * DL_PANEL, E->n, x_stride,
                   E->m - p * DL_PANEL};
}

/* R <= 6 samples; R is a constant wherever this is inlined. A part of a cache line of `ahead` is prefetched
 * in each step; NULL: none. */
static inline __attribute__((always_inline)) void products(strip t, const float *X, const float *ahead,
                                                           const int R, __m256 low[ROWS], __m256 high[ROWS]) {
    const float *x[ROWS];
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        x[r] = X + r * t.x_stride;
        low[r] = _mm256_loadu_ps(t.bias);
        high[r] = _mm256_loadu_ps(t.bias + 8);
    }
    for (int64_t d = 0; d < t.n; d++) {
        const float *e = t.panel + d * DL_PANEL;
        if (ahead)
            _mm_prefetch((const char *)(ahead + d), _MM_HINT_T1);
        __m256 e0 = _mm256_loadu_ps(e), e1 = _mm256_loadu_ps(e + 8);
        DL_UNROLL
        for (int r = 0; r < R; r++) {
            __m256 number = _mm256_set1_ps(x[r][d]);
            low[r] = _mm256_fmadd_ps(number, e0, low[r]);
            high[r] = _mm256_fmadd_ps(number, e1, high[r]);
        }
    }
}

/* The case of R rows in a switch: R becomes a constant of `call`. */
#define TILE_CASE(R, call)                                                                                   \
    case R:                                                                                                  \
        call;                                                                                                \
        break;

#endif
