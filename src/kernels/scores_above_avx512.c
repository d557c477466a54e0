/* Scores above a cut with AVX-512: the others never leave the registers. */
#include "kernels/hits_avx512.h"
#include "kernels/scores_tile_avx512.h"

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
    __m512 sum[ROWS][4];
    __mmask16 exist[HIT_VECTORS];
    products(t, s.X, ahead, R, V, sum);
    DL_UNROLL
    for (size_t v = 0; v < V; v++) {
        int64_t left = t.atoms - (int64_t)v * WIDTH;
        exist[v] = (__mmask16)(left >= WIDTH ? ALL_EXIST : left > 0 ? (1 << left) - 1 : 0);
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

TILE(tile_6x64, PAIR_ROWS, 4)
TILE(tile_1x64, 1, 4)
TILE(tile_6x32, PAIR_ROWS, 2)
TILE(tile_1x32, 1, 2)

static __attribute__((noinline)) void tile_6x64_ahead(const strip *t, const samples *s, int32_t first,
                                                      const float *ahead) {
    tile(*t, *s, first, ahead, PAIR_ROWS, 4);
}

void dl_scores_above_avx512(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                            int64_t rows, bool positive, const uint32_t *cut, dl_candidates hits) {
    for (int64_t p = first; p < last; p += 2) {
        const float *panel = E->data + p * E->n * DL_PANEL;
        const float *next = next_is_far(E, p) ? panel + PAIR * E->n : NULL;
        strip t = {panel, E->bias + p * DL_PANEL, E->n, x_stride, E->m - p * DL_PANEL};
        bool pair = p + 2 <= last;
        int32_t atom = (int32_t)(p * DL_PANEL);
        for (int64_t i = 0; i < rows;) {
            dl_candidates lists = {hits.room, hits.count + i, hits.index + i * hits.room,
                                   hits.value + i * hits.room};
            samples s = {X + i * x_stride, cut + i, positive, lists};
            bool whole = i + PAIR_ROWS <= rows;
            if (whole && pair && next)
                tile_6x64_ahead(&t, &s, atom, next + i / PAIR_ROWS % SHARES * 4 * E->n);
            else if (whole)
                (pair ? tile_6x64 : tile_6x32)(&t, &s, atom);
            else
                (pair ? tile_1x64 : tile_1x32)(&t, &s, atom);
            i += whole ? PAIR_ROWS : 1;
        }
    }
}
