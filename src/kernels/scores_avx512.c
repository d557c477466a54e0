/* Scores with AVX-512: 6 samples x 64 atoms in 24 registers, samples read in place, the dictionary from two
 * adjacent panels. Narrower tiles, 12 x 32 and 12 x 16, for the last atoms.
 *
 * A step loads 4 vectors and 6 numbers for its 24 multiply-adds; 12 x 32 needs 14 loads and more pointers
 * than there are registers for them. Every score is one chain of multiply-adds from -b_j on, so the width of
 * a tile does not change its bits. */
#include "kernels/level/level.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 16, PAIR = 2 * DL_PANEL, PAIR_ROWS = 6, ROWS = 12 };

/* What the tiles of some panels have in common. */
typedef struct strip {
    const float *panel, *bias;
    int64_t n, x_stride, s_stride;
    int64_t atoms; /* that exist, from the first of the panel on */
} strip;

/* Adds the product of R numbers with V vectors of atoms, of which two are in each panel. */
static inline __attribute__((always_inline)) void step(const float *const panel[2],
                                                       const float *const x[ROWS], int64_t d, const size_t R,
                                                       const size_t V, __m512 sum[ROWS][4]) {
    __m512 e[4];
    DL_UNROLL
    for (size_t v = 0; v < V; v++)
        e[v] = _mm512_loadu_ps(panel[v / 2] + d * DL_PANEL + v % 2 * LANES);
    DL_UNROLL
    for (size_t r = 0; r < R; r++) {
        __m512 number = _mm512_set1_ps(x[r][d]);
        DL_UNROLL
        for (size_t v = 0; v < V; v++)
            sum[r][v] = _mm512_fmadd_ps(number, e[v], sum[r][v]);
    }
}

/* Stores R rows of V vectors. */
static inline __attribute__((always_inline)) void store_all(float *S, int64_t stride, const size_t R,
                                                            const size_t V, __m512 sum[ROWS][4]) {
    DL_UNROLL
    for (size_t r = 0; r < R; r++, S += stride)
        DL_UNROLL
    for (size_t v = 0; v < V; v++)
        _mm512_storeu_ps(S + v * LANES, sum[r][v]);
}

/* Stores only the scores of atoms that exist; those of the last tile by way of a buffer. */
static inline __attribute__((always_inline)) void store(strip t, float *S, const size_t R, const size_t V,
                                                        __m512 sum[ROWS][4]) {
    if (t.atoms >= (int64_t)V * LANES) {
        store_all(S, t.s_stride, R, V, sum);
        return;
    }
    _Alignas(64) float whole[ROWS * PAIR];
    store_all(whole, PAIR, R, V, sum);
    for (size_t r = 0; r < R; r++)
        memcpy(S + (int64_t)r * t.s_stride, whole + r * PAIR, (size_t)t.atoms * sizeof *S);
}

/* R samples and V vectors of atoms, both constants where this is inlined. A quarter of a cache line of
 * `ahead` is prefetched in each step; NULL: none. */
static inline __attribute__((always_inline)) void tile(strip t, const float *X, float *S, const float *ahead,
                                                       const size_t R, const size_t V) {
    __m512 sum[ROWS][4];
    const float *x[ROWS], *panel[2] = {t.panel, t.panel + t.n * DL_PANEL};
    DL_UNROLL
    for (size_t r = 0; r < R; r++) {
        x[r] = X + (int64_t)r * t.x_stride;
        DL_UNROLL
        for (size_t v = 0; v < V; v++)
            sum[r][v] = _mm512_loadu_ps(t.bias + v * LANES);
    }
    for (int64_t d = 0; d < t.n; d++) {
        if (ahead)
            _mm_prefetch((const char *)(ahead + 4 * d), _MM_HINT_T1);
        step(panel, x, d, R, V, sum);
    }
    store(t, S, R, V, sum);
}

/* One function for each shape: together they would be too large for compilers to optimise well. */
#define TILE(name, R, V)                                                                                     \
    static __attribute__((noinline)) void name(const strip *t, const float *X, float *S) {                   \
        tile(*t, X, S, NULL, R, V);                                                                          \
    }

TILE(tile_6x64, PAIR_ROWS, 4)
TILE(tile_1x64, 1, 4)
TILE(tile_12x32, ROWS, 2)
TILE(tile_1x32, 1, 2)
TILE(tile_12x16, ROWS, 1)
TILE(tile_1x16, 1, 1)

static __attribute__((noinline)) void tile_6x64_ahead(const strip *t, const float *X, float *S,
                                                      const float *ahead) {
    tile(*t, X, S, ahead, PAIR_ROWS, 4);
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

/* Two panels. Where the next two are not expected in the L2 cache, each group of samples prefetches a
 * sixteenth of them, so that no group has to wait for memory. */
static void pair_of_panels(const strip *t, const float *X, float *S, bool next_is_far, int64_t rows) {
    enum { SHARES = 16 };
    const float *ahead = t->panel + PAIR * t->n;
    for (int64_t i = 0; i < rows;) {
        const float *x = X + i * t->x_stride;
        float *s = S + i * t->s_stride;
        bool whole = i + PAIR_ROWS <= rows;
        if (whole && next_is_far && i < SHARES * PAIR_ROWS)
            tile_6x64_ahead(t, x, s, ahead + i / PAIR_ROWS * 4 * t->n);
        else if (whole)
            tile_6x64(t, x, s);
        else
            tile_1x64(t, x, s);
        i += whole ? PAIR_ROWS : 1;
    }
}

/* One panel, or its first half if it has no more atoms. */
static void one_panel(const strip *t, const float *X, float *S, int64_t rows) {
    const bool half = t->atoms <= LANES;
    for (int64_t i = 0; i < rows;) {
        const float *x = X + i * t->x_stride;
        float *s = S + i * t->s_stride;
        bool whole = i + ROWS <= rows;
        if (whole)
            (half ? tile_12x16 : tile_12x32)(t, x, s);
        else
            (half ? tile_1x16 : tile_1x32)(t, x, s);
        i += whole ? ROWS : 1;
    }
}

void dl_scores_avx512(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                      int64_t rows, float *S, int64_t s_stride) {
    enum { L2_FLOATS = 128 * 1024 }; /* of the smallest L2 caches, 512 KB */
    int64_t n = E->n, p = first, panel = n * DL_PANEL;
    bool large = E->panels * panel > L2_FLOATS;
    for (; rows == 1 && p + 4 <= last && (p + 4) * DL_PANEL <= E->m; p += 4)
        four_panels(X, E->data + p * panel, E->bias + p * DL_PANEL, n, S + (p - first) * DL_PANEL);
    while (p < last) {
        strip t = {E->data + p * panel, E->bias + p * DL_PANEL, n, x_stride, s_stride, E->m - p * DL_PANEL};
        float *out = S + (p - first) * DL_PANEL;
        bool pair = p + 2 <= last && t.atoms > DL_PANEL + LANES; /* otherwise one panel and half of one */
        if (pair)
            pair_of_panels(&t, X, out, large && p + 4 <= E->panels, rows);
        else
            one_panel(&t, X, out, rows);
        p += pair ? 2 : 1;
    }
}
