/* The products of a tile with AVX-512: 6 samples x 64 atoms in 24 registers, samples read in place, the
 * dictionary from four adjacent panels. Narrower tiles, 12 x 32 and 12 x 16, for the last panels.
 *
 * A step loads 4 vectors and 6 numbers for its 24 multiply-adds; 12 x 32 needs 14 loads and more pointers
 * than there are registers for them. Every score is one chain of multiply-adds from -b_j on, so the width of
 * a tile does not change its bits. */
#ifndef DL_KERNELS_AVX512_SCORES_TILE_H
#define DL_KERNELS_AVX512_SCORES_TILE_H

#include "kernels/level/level.h"

#include <immintrin.h>

enum { WIDE = 4, WIDE_ROWS = 6, ROWS = 12 };

/* Each group of samples prefetches one of so many shares of the next four panels. */
enum { SHARES = 16 };

/* What the tiles of some panels have in common. */
typedef struct strip {
    const float *panel, *bias;
    int64_t n, x_stride;
    int64_t atoms; /* that exist, from the first of the panel on */
} strip;

/* Adds the products of R numbers with one vector of each of V panels. */
static inline __attribute__((always_inline)) void step(const float *const panel[WIDE],
                                                       const float *const x[ROWS], int64_t d, const size_t R,
                                                       const size_t V, __m512 sum[ROWS][WIDE]) {
    __m512 e[WIDE];
    DL_UNROLL
    for (size_t v = 0; v < V; v++)
        e[v] = _mm512_loadu_ps(panel[v] + d * DL_PANEL);
    DL_UNROLL
    for (size_t r = 0; r < R; r++) {
        __m512 number = _mm512_set1_ps(x[r][d]);
        DL_UNROLL
        for (size_t v = 0; v < V; v++)
            sum[r][v] = _mm512_fmadd_ps(number, e[v], sum[r][v]);
    }
}

/* The scores before the first step: minus the bias. */
static inline __attribute__((always_inline)) void begin(const strip *t, const size_t R, const size_t V,
                                                        __m512 sum[ROWS][WIDE]) {
    DL_UNROLL
    for (size_t r = 0; r < R; r++)
        DL_UNROLL
    for (size_t v = 0; v < V; v++)
        sum[r][v] = _mm512_loadu_ps(t->bias + v * DL_PANEL);
}

/* R samples and V panels, both constants where this is inlined. A quarter of a cache line of
 * `ahead` is prefetched in each step; NULL: none. */
static inline __attribute__((always_inline)) void products(strip t, const float *X, const float *ahead,
                                                           const size_t R, const size_t V,
                                                           __m512 sum[ROWS][WIDE]) {
    const float *x[ROWS], *panel[WIDE];
    DL_UNROLL
    for (size_t v = 0; v < V; v++)
        panel[v] = t.panel + (int64_t)v * t.n * DL_PANEL;
    DL_UNROLL
    for (size_t r = 0; r < R; r++)
        x[r] = X + (int64_t)r * t.x_stride;
    begin(&t, R, V, sum);
    for (int64_t d = 0; d < t.n; d++) {
        if (ahead)
            _mm_prefetch((const char *)(ahead + 4 * d), _MM_HINT_T1);
        step(panel, x, d, R, V, sum);
    }
}

/* Stores R rows of V vectors. */
static inline __attribute__((always_inline)) void store_all(float *S, int64_t stride, const size_t R,
                                                            const size_t V, __m512 sum[ROWS][WIDE]) {
    DL_UNROLL
    for (size_t r = 0; r < R; r++, S += stride)
        DL_UNROLL
    for (size_t v = 0; v < V; v++)
        _mm512_storeu_ps(S + v * DL_PANEL, sum[r][v]);
}

/* Whether the next four panels are expected outside the L2 cache. */
static inline bool next_is_far(const dl_packed *E, int64_t panel) {
    enum { L2_FLOATS = 128 * 1024 }; /* of the smallest L2 caches, 512 KB */
    return E->panels * E->n * DL_PANEL > L2_FLOATS && panel + 2 * WIDE <= E->panels;
}

/* How many panels the next tile takes: four, two or one. */
static inline int64_t width_of(int64_t panels) {
    return panels >= WIDE ? WIDE : panels >= 2 ? 2 : 1;
}

#endif
