/* Scores above a cut with AVX2: the others never leave the registers. */
#include "kernels/avx2/keys.h"
#include "kernels/avx2/scores_tile.h"

/* The samples of a tile. */
typedef struct samples {
    const float *X;
    const float *ahead; /* to be prefetched: the samples' share of the next panel */
    const uint32_t *cut;
    bool positive;
    dl_candidates hits;
} samples;

/* Which of 16 scores rank above the cut. */
static inline __attribute__((always_inline)) unsigned above(__m256 low, __m256 high, bool positive,
                                                            uint32_t cut) {
    const __m256i bound = _mm256_set1_epi32((int)cut);
    __m256i first = _mm256_cmpgt_epi32(keys_of(_mm256_castps_si256(low), positive), bound);
    __m256i second = _mm256_cmpgt_epi32(keys_of(_mm256_castps_si256(high), positive), bound);
    return bits_of(first) | bits_of(second) << 8;
}

/* Appends the chosen ones of 16 scores to list r. Few tiles have any. */
static inline __attribute__((always_inline)) void append_hits(dl_candidates hits, int64_t r, int32_t first,
                                                              unsigned chosen, __m256 low, __m256 high) {
    float score[DL_PANEL];
    int32_t *index = hits.index + r * hits.room;
    float *value = hits.value + r * hits.room;
    int64_t count = hits.count[r];
    _mm256_storeu_ps(score, low);
    _mm256_storeu_ps(score + 8, high);
    for (; chosen; chosen &= chosen - 1, count++) {
        int lane = __builtin_ctz(chosen);
        index[count] = first + lane;
        value[count] = score[lane];
    }
    hits.count[r] = count;
}

/* Atoms that only pad the last panel are excluded, since their scores need not be 0: a sample may have NaN.
 */
static inline __attribute__((always_inline)) void tile(strip t, samples s, int32_t first, const int R) {
    __m256 low[ROWS], high[ROWS];
    const unsigned exist = t.atoms < DL_PANEL ? (1u << t.atoms) - 1 : 0xffff;
    products(t, s.X, s.ahead, R, low, high);
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        unsigned chosen = above(low[r], high[r], s.positive, s.cut[r]) & exist;
        if (chosen)
            append_hits(s.hits, r, first, chosen, low[r], high[r]);
    }
}

static void some_rows(strip t, samples s, int32_t first, int64_t rows) {
    switch (rows) {
        TILE_CASE(1, tile(t, s, first, 1))
        TILE_CASE(2, tile(t, s, first, 2))
        TILE_CASE(3, tile(t, s, first, 3))
        TILE_CASE(4, tile(t, s, first, 4))
        TILE_CASE(5, tile(t, s, first, 5))
        TILE_CASE(6, tile(t, s, first, 6))
    }
}

/* Each group of samples prefetches one of so many shares of the next panel, so that no group has to wait for
 * memory. */
enum { SHARES = DL_PANEL };

void dl_scores_above_avx2(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                          int64_t rows, bool positive, const uint32_t *cut, dl_candidates hits) {
    for (int64_t p = first; p < last; p++) {
        strip t = strip_at(E, p, x_stride), next = strip_at(E, p + 1 < E->panels ? p + 1 : p, x_stride);
        for (int64_t i = 0; i < rows; i += ROWS) {
            dl_candidates lists = {hits.room, hits.count + i, hits.index + i * hits.room,
                                   hits.value + i * hits.room};
            const float *share = next.panel + i / ROWS % SHARES * E->n;
            some_rows(t, (samples){X + i * x_stride, share, cut + i, positive, lists},
                      (int32_t)(p * DL_PANEL), rows - i < ROWS ? rows - i : ROWS);
        }
    }
}
