/* Scores with AVX-512. */
#include "kernels/avx512/scores_tile.h"

#include <string.h>

/* Stores only the scores of atoms that exist; those of the last tile by way of a buffer. */
static inline __attribute__((always_inline)) void store(strip t, float *S, int64_t stride, const size_t R,
                                                        const size_t V, __m512 sum[ROWS][WIDE]) {
    if (t.atoms >= (int64_t)V * DL_PANEL) {
        store_all(S, stride, R, V, sum);
        return;
    }
    _Alignas(64) float whole[ROWS * WIDE * DL_PANEL];
    store_all(whole, (int64_t)V * DL_PANEL, R, V, sum);
    for (size_t r = 0; r < R; r++)
        memcpy(S + (int64_t)r * stride, whole + r * V * DL_PANEL, (size_t)t.atoms * sizeof *S);
}

static inline __attribute__((always_inline)) void tile(strip t, const float *X, float *S, int64_t stride,
                                                       const float *ahead, const size_t R, const size_t V) {
    __m512 sum[ROWS][WIDE];
    products(t, X, ahead, R, V, sum);
    store(t, S, stride, R, V, sum);
}

/* One function for each shape: together they would be too large for compilers to optimise well. */
#define TILE(name, R, V)                                                                                     \
    static __attribute__((noinline)) void name(const strip *t, const float *X, float *S, int64_t stride) {   \
        tile(*t, X, S, stride, NULL, R, V);                                                                  \
    }

TILE(tile_6x64, WIDE_ROWS, 4)
TILE(tile_1x64, 1, 4)
TILE(tile_12x32, ROWS, 2)
TILE(tile_1x32, 1, 2)
TILE(tile_12x16, ROWS, 1)
TILE(tile_1x16, 1, 1)

static __attribute__((noinline)) void tile_6x64_ahead(const strip *t, const float *X, float *S,
                                                      int64_t stride, const float *ahead) {
    tile(*t, X, S, stride, ahead, WIDE_ROWS, 4);
}

/* Four panels. Where the next four are far, each group of samples prefetches a share of them, so that no
 * group has to wait for memory. */
static void four_panels(const strip *t, const float *X, float *S, int64_t stride, bool far, int64_t rows) {
    const float *ahead = t->panel + WIDE * t->n * DL_PANEL;
    for (int64_t i = 0; i < rows;) {
        const float *x = X + i * t->x_stride;
        float *s = S + i * stride;
        bool whole = i + WIDE_ROWS <= rows;
        if (whole && far && i < SHARES * WIDE_ROWS)
            tile_6x64_ahead(t, x, s, stride, ahead + i / WIDE_ROWS * 4 * t->n);
        else if (whole)
            tile_6x64(t, x, s, stride);
        else
            tile_1x64(t, x, s, stride);
        i += whole ? WIDE_ROWS : 1;
    }
}

/* Two panels or one. */
static void last_panels(const strip *t, const float *X, float *S, int64_t stride, int64_t width,
                        int64_t rows) {
    for (int64_t i = 0; i < rows;) {
        const float *x = X + i * t->x_stride;
        float *s = S + i * stride;
        bool whole = i + ROWS <= rows;
        if (whole)
            (width == 2 ? tile_12x32 : tile_12x16)(t, x, s, stride);
        else
            (width == 2 ? tile_1x32 : tile_1x16)(t, x, s, stride);
        i += whole ? ROWS : 1;
    }
}

void dl_scores_avx512(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                      int64_t rows, float *S, int64_t s_stride) {
    int64_t n = E->n, p = first, panel = n * DL_PANEL;
    while (p < last) {
        strip t = {E->data + p * panel, E->bias + p * DL_PANEL, n, x_stride, E->m - p * DL_PANEL};
        float *out = S + (p - first) * DL_PANEL;
        int64_t width = width_of(last - p);
        if (width == WIDE)
            four_panels(&t, X, out, s_stride, next_is_far(E, p), rows);
        else
            last_panels(&t, X, out, s_stride, width, rows);
        p += width;
    }
}
