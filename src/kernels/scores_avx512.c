/* Scores with AVX-512. */
#include "kernels/scores_tile_avx512.h"

#include <string.h>

/* Stores R rows of V vectors. */
static inline __attribute__((always_inline)) void store_all(float *S, int64_t stride, const size_t R,
                                                            const size_t V, __m512 sum[ROWS][4]) {
    DL_UNROLL
    for (size_t r = 0; r < R; r++, S += stride)
        DL_UNROLL
    for (size_t v = 0; v < V; v++)
        _mm512_storeu_ps(S + v * WIDTH, sum[r][v]);
}

/* Stores only the scores of atoms that exist; those of the last tile by way of a buffer. */
static inline __attribute__((always_inline)) void store(strip t, float *S, int64_t stride, const size_t R,
                                                        const size_t V, __m512 sum[ROWS][4]) {
    if (t.atoms >= (int64_t)V * WIDTH) {
        store_all(S, stride, R, V, sum);
        return;
    }
    _Alignas(64) float whole[ROWS * PAIR];
    store_all(whole, PAIR, R, V, sum);
    for (size_t r = 0; r < R; r++)
        memcpy(S + (int64_t)r * stride, whole + r * PAIR, (size_t)t.atoms * sizeof *S);
}

static inline __attribute__((always_inline)) void tile(strip t, const float *X, float *S, int64_t stride,
                                                       const float *ahead, const size_t R, const size_t V) {
    __m512 sum[ROWS][4];
    products(t, X, ahead, R, V, sum);
    store(t, S, stride, R, V, sum);
}

/* One function for each shape: together they would be too large for compilers to optimise well. */
#define TILE(name, R, V)                                                                                     \
    static __attribute__((noinline)) void name(const strip *t, const float *X, float *S, int64_t stride) {   \
        tile(*t, X, S, stride, NULL, R, V);                                                                  \
    }

TILE(tile_6x64, PAIR_ROWS, 4)
TILE(tile_1x64, 1, 4)
TILE(tile_12x32, ROWS, 2)
TILE(tile_1x32, 1, 2)
TILE(tile_12x16, ROWS, 1)
TILE(tile_1x16, 1, 1)

static __attribute__((noinline)) void tile_6x64_ahead(const strip *t, const float *X, float *S,
                                                      int64_t stride, const float *ahead) {
    tile(*t, X, S, stride, ahead, PAIR_ROWS, 4);
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

/* Two panels. Where the next two are far, each group of samples prefetches a share of them, so that no group
 * has to wait for memory. */
static void pair_of_panels(const strip *t, const float *X, float *S, int64_t stride, bool far, int64_t rows) {
    const float *ahead = t->panel + PAIR * t->n;
    for (int64_t i = 0; i < rows;) {
        const float *x = X + i * t->x_stride;
        float *s = S + i * stride;
        bool whole = i + PAIR_ROWS <= rows;
        if (whole && far && i < SHARES * PAIR_ROWS)
            tile_6x64_ahead(t, x, s, stride, ahead + i / PAIR_ROWS * 4 * t->n);
        else if (whole)
            tile_6x64(t, x, s, stride);
        else
            tile_1x64(t, x, s, stride);
        i += whole ? PAIR_ROWS : 1;
    }
}

/* One panel, or its first half if it has no more atoms. */
static void one_panel(const strip *t, const float *X, float *S, int64_t stride, int64_t rows) {
    const bool half = t->atoms <= WIDTH;
    for (int64_t i = 0; i < rows;) {
        const float *x = X + i * t->x_stride;
        float *s = S + i * stride;
        bool whole = i + ROWS <= rows;
        if (whole)
            (half ? tile_12x16 : tile_12x32)(t, x, s, stride);
        else
            (half ? tile_1x16 : tile_1x32)(t, x, s, stride);
        i += whole ? ROWS : 1;
    }
}

void dl_scores_avx512(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                      int64_t rows, float *S, int64_t s_stride) {
    int64_t n = E->n, p = first, panel = n * DL_PANEL;
    for (; rows == 1 && p + 4 <= last && (p + 4) * DL_PANEL <= E->m; p += 4)
        four_panels(X, E->data + p * panel, E->bias + p * DL_PANEL, n, S + (p - first) * DL_PANEL);
    while (p < last) {
        strip t = {E->data + p * panel, E->bias + p * DL_PANEL, n, x_stride, E->m - p * DL_PANEL};
        float *out = S + (p - first) * DL_PANEL;
        bool pair = p + 2 <= last && t.atoms > DL_PANEL + WIDTH; /* otherwise one panel and half of one */
        if (pair)
            pair_of_panels(&t, X, out, s_stride, next_is_far(E, p), rows);
        else
            one_panel(&t, X, out, s_stride, rows);
        p += pair ? 2 : 1;
    }
}
