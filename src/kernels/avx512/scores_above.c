/* Scores above a cut with AVX-512: the others never leave the registers. */
#include "kernels/avx512/hits.h"
#include "kernels/avx512/scores_tile.h"

/* The samples of a tile. */
typedef struct samples {
    const float *X;
    const uint32_t *cut;
    bool positive;
    dl_candidates hits;
} samples;

/* Atoms that only pad the last panel are excluded, since their scores need not be 0: a sample may have NaN.
 */
static inline __attribute__((always_inline)) void tile(strip t, samples s, int32_t first, const float *ahead,
                                                       const size_t R, const size_t V) {
    __m512 sum[ROWS][WIDE];
    __mmask16 exist[HIT_VECTORS];
    products(t, s.X, ahead, R, V, sum);
    DL_UNROLL
    for (size_t v = 0; v < V; v++) {
        int64_t left = t.atoms - (int64_t)v * DL_PANEL;
        exist[v] = (__mmask16)(left >= DL_PANEL ? ALL_EXIST : left > 0 ? (1 << left) - 1 : 0);
    }
    DL_UNROLL
    for (size_t r = 0; r < R; r++) {
        __m512i bits[HIT_VECTORS];
        DL_UNROLL
        for (size_t v = 0; v < V; v++)
            bits[v] = _mm512_castps_si512(sum[r][v]);
        append_hits(s.hits, (int64_t)r, first, s.positive, s.cut[r], V, bits, exist);
    }
}

#define TILE(name, R, V)                                                                                     \
    static __attribute__((noinline)) void name(const strip *t, const samples *s, int32_t first) {            \
        tile(*t, *s, first, NULL, R, V);                                                                     \
    }

TILE(tile_6x64, WIDE_ROWS, 4)
TILE(tile_1x64, 1, 4)
TILE(tile_6x32, WIDE_ROWS, 2)
TILE(tile_1x32, 1, 2)
TILE(tile_6x16, WIDE_ROWS, 1)
TILE(tile_1x16, 1, 1)

static __attribute__((noinline)) void tile_6x64_ahead(const strip *t, const samples *s, int32_t first,
                                                      const float *ahead) {
    tile(*t, *s, first, ahead, WIDE_ROWS, 4);
}

/* Four panels, two or one, with all samples of a tile or the first alone. With four panels, `ahead` is
 * prefetched; NULL: nothing. */
static void some_panels(const strip *t, const samples *s, int32_t first, int64_t width, bool whole,
                        const float *ahead) {
    if (width == WIDE && whole && ahead)
        tile_6x64_ahead(t, s, first, ahead);
    else if (width == WIDE)
        (whole ? tile_6x64 : tile_1x64)(t, s, first);
    else if (width == 2)
        (whole ? tile_6x32 : tile_1x32)(t, s, first);
    else
        (whole ? tile_6x16 : tile_1x16)(t, s, first);
}

void dl_scores_above_avx512(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                            int64_t rows, bool positive, const uint32_t *cut, dl_candidates hits) {
    for (int64_t p = first, width; p < last; p += width) {
        const float *panel = E->data + p * E->n * DL_PANEL;
        const float *next = next_is_far(E, p) ? panel + WIDE * E->n * DL_PANEL : NULL;
        strip t = {panel, E->bias + p * DL_PANEL, E->n, x_stride, E->m - p * DL_PANEL};
        width = width_of(last - p);
        for (int64_t i = 0; i < rows;) {
            dl_candidates lists = {hits.room, hits.count + i, hits.index + i * hits.room,
                                   hits.value + i * hits.room};
            samples s = {X + i * x_stride, cut + i, positive, lists};
            bool whole = i + WIDE_ROWS <= rows;
            some_panels(&t, &s, (int32_t)(p * DL_PANEL), width, whole,
                        next ? next + i / WIDE_ROWS % SHARES * 4 * E->n : NULL);
            i += whole ? WIDE_ROWS : 1;
        }
    }
}
