/* Scores of integers of 16 bits with AVX-512 VNNI, twice as fast as floats but precise enough only to find
 * candidates, and exact scores of a few atoms. Scores never leave the registers unless they are candidates.
 */
#include "kernels/avx512/hits.h"
#include "kernels/avx512/transpose.h"
#include "kernels/level/level.h"
#include "kernels/level/table.h"

enum { ROWS = 6, VECTORS = HIT_VECTORS };

typedef int32_t pair __attribute__((__may_alias__, __aligned__(2)));

/* sum + the dot products of pairs. The empty statement keeps sums in registers: GCC 12 would copy them. */
static inline __attribute__((always_inline)) __m512i add_dots(__m512i sum, __m512i e, __m512i x) {
    sum = _mm512_dpwssd_epi32(sum, e, x);
    __asm__("" : "+v"(sum));
    return sum;
}

/* What the tiles of a panel have in common. */
typedef struct strip {
    const int16_t *panel;
    const float *scale, *bias;
    int64_t pairs;
    int32_t first; /* atom */
    bool positive;
} strip;

/* The samples of a tile. */
typedef struct samples {
    const int16_t *X;
    const float *scale;
    const uint32_t *cut;
    dl_candidates hits;
} samples;

/* Integer sums to scores, and these to lists. Rows that pad a panel have score 0, which is never above. */
static inline __attribute__((always_inline)) void finish(strip t, samples s, const size_t R,
                                                         __m512i sum[ROWS][VECTORS]) {
    const __mmask16 exist[VECTORS] = {ALL_EXIST, ALL_EXIST, ALL_EXIST, ALL_EXIST};
    DL_UNROLL
    for (size_t r = 0; r < R; r++) {
        __m512i bits[VECTORS];
        DL_UNROLL
        for (size_t v = 0; v < VECTORS; v++) {
            __m512 unit = _mm512_mul_ps(_mm512_set1_ps(s.scale[r]), _mm512_loadu_ps(t.scale + v * LANES));
            __m512 score =
                _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[r][v]), unit, _mm512_loadu_ps(t.bias + v * LANES));
            bits[v] = _mm512_castps_si512(score);
        }
        append_hits(s.hits, (int64_t)r, t.first, t.positive, s.cut[r], VECTORS, bits, exist);
    }
}

/* R samples and 64 atoms; R is a constant wherever this is inlined. A quarter of a cache line of `ahead` is
 * prefetched in each step. */
static inline __attribute__((always_inline)) void tile(strip t, samples s, const int16_t *ahead,
                                                       const size_t R) {
    __m512i sum[ROWS][VECTORS];
    const pair *x[ROWS];
    DL_UNROLL
    for (size_t r = 0; r < R; r++) {
        x[r] = (const pair *)(s.X + 2 * (int64_t)r * t.pairs);
        DL_UNROLL
        for (size_t v = 0; v < VECTORS; v++)
            sum[r][v] = _mm512_setzero_si512();
    }
    for (int64_t p = 0; p < t.pairs; p++) {
        __m512i e[VECTORS];
        _mm_prefetch((const char *)(ahead + 8 * p), _MM_HINT_T1);
        DL_UNROLL
        for (size_t v = 0; v < VECTORS; v++)
            e[v] = _mm512_loadu_si512(t.panel + 2 * (p * DL_PANEL16 + (int64_t)v * LANES));
        DL_UNROLL
        for (size_t r = 0; r < R; r++) {
            __m512i entries = _mm512_set1_epi32(x[r][p]);
            DL_UNROLL
            for (size_t v = 0; v < VECTORS; v++)
                sum[r][v] = add_dots(sum[r][v], e[v], entries);
        }
    }
    finish(t, s, R, sum);
}

static __attribute__((noinline)) void tile_6x64(const strip *t, const samples *s, const int16_t *ahead) {
    tile(*t, *s, ahead, ROWS);
}

static __attribute__((noinline)) void tile_1x64(const strip *t, const samples *s, const int16_t *ahead) {
    tile(*t, *s, ahead, 1);
}

/* Each group of samples prefetches a sixteenth of the next panel. */
void dl_above16_avx512(const dl_packed16 *E, int64_t first, int64_t last, const int16_t *X,
                       const float *scale, int64_t rows, bool positive, const uint32_t *cut,
                       dl_candidates hits) {
    enum { SHARES = 16 };
    for (int64_t p = first; p < last; p++) {
        int64_t panel = 2 * E->pairs * DL_PANEL16, atom = p * DL_PANEL16;
        const int16_t *data = E->data + p * panel, *next = p + 1 < E->panels ? data + panel : data;
        strip t = {data, E->scale + atom, E->bias + atom, E->pairs, (int32_t)atom, positive};
        for (int64_t i = 0; i < rows;) {
            dl_candidates lists = {hits.room, hits.count + i, hits.index + i * hits.room,
                                   hits.value + i * hits.room};
            samples s = {X + 2 * i * E->pairs, scale + i, cut + i, lists};
            bool whole = i + ROWS <= rows;
            (whole ? tile_6x64 : tile_1x64)(&t, &s, next + i / ROWS % SHARES * 8 * E->pairs);
            i += whole ? ROWS : 1;
        }
    }
}

/* Entries d .. d+15 of 16 rows, transposed: entry[i] holds entry d+i of all rows, zero past the end. */
static inline __attribute__((always_inline)) void columns(const float *const row[LANES], int64_t d, int64_t n,
                                                          __m512i entry[LANES]) {
    __mmask16 exist = (__mmask16)(n - d >= LANES ? 0xffff : (1 << (n - d)) - 1);
    DL_UNROLL
    for (size_t t = 0; t < LANES; t++)
        entry[t] = _mm512_maskz_loadu_epi32(exist, row[t] + d);
    dl_transpose(entry);
}

/* Adds in the order of dl_scores_avx512, entry by entry with one rounding each, so that the bits are the
 * same; one atom in each lane. */
static __m512 exact_lanes(const float *const row[LANES], int64_t n, const float *x, __m512 sum) {
    __m512i entry[LANES];
    int64_t d = 0;
    for (; d + LANES <= n; d += LANES) {
        columns(row, d, n, entry);
        DL_UNROLL
        for (size_t i = 0; i < LANES; i++)
            sum = _mm512_fmadd_ps(_mm512_set1_ps(x[d + (int64_t)i]), _mm512_castsi512_ps(entry[i]), sum);
    }
    if (d < n)
        columns(row, d, n, entry);
    for (int64_t i = 0; d + i < n; i++)
        sum = _mm512_fmadd_ps(_mm512_set1_ps(x[d + i]), _mm512_castsi512_ps(entry[i]), sum);
    return sum;
}

void dl_exact_avx512(const float *E, int64_t n, const float *bias, const float *x, const int32_t *index,
                     int64_t count, float *value) {
    for (int64_t c = 0; c < count; c += LANES) {
        const float *row[LANES];
        _Alignas(64) float sum[LANES];
        for (int64_t t = 0; t < LANES; t++) {
            int32_t j = index[c + t < count ? c + t : c];
            row[t] = E + j * n;
            sum[t] = bias[j];
        }
        _mm512_store_ps(sum, exact_lanes(row, n, x, _mm512_load_ps(sum)));
        for (int64_t t = 0; t < LANES && c + t < count; t++)
            value[c + t] = sum[t];
    }
}

/* The kernels of AVX-512, and these two. */
#define FROM_ALL(name) DL_LEVELLED(dl_##name)
#define FROM_AVX512 FROM_ALL
#define FROM_VNNI FROM_ALL
#define FROM_ALL_AND_POPCNT FROM_ALL
#define FROM_POPCNT(name) NULL

const dl_kernels dl_kernels_avx512vnni = {
    .level = "avx512vnni",
#define DL_KERNEL(levels, result, name, parameters) .name = FROM_##levels(name),
#include "kernels/list.h"
};
