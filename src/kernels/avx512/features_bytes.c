/* Thresholded features with AVX-512 for small k: while the scores of some samples are computed, those of the
 * samples before them are selected.
 *
 * The product keeps two of the four vector units busy and little else. A core does not look far enough ahead
 * to overlap it with a selection that follows, so the two alternate: a few steps of the product, a piece of
 * the selection. Tiles of 4 x 64 leave registers for it. */
#include "kernels/avx512/scores_tile.h"
#include "kernels/avx512/select_bytes.h"

/* The passes over the rows of a group. The scores of a row are passed through in blocks; the last pass
 * needs only the list. */
enum { FIND_MAXIMA, LIST_CANDIDATES, KEEP_BEST, DONE };

typedef struct group {
    const float *S; /* rows of m scores */
    int64_t m, k;
    int32_t *count;
    output out;
    int pass;
    int64_t row; /* the next one of this pass */
    __m512i largest[GROUP];
    int32_t bound[GROUP], cut[GROUP];
    candidate_list list[GROUP];
} group;

/* What a pass knows of the row it is at. */
typedef struct row_state {
    const float *scores;
    candidate_list *list;
    __m512i largest, bound;
} row_state;

/* Here and below, `pass` and `positive` are constants where functions are inlined. */
static inline __attribute__((always_inline)) row_state begin_row(group *g, int64_t r, const int pass) {
    row_state row = {g->S + r * g->m, &g->list[r], _mm512_setzero_si512(), _mm512_setzero_si512()};
    if (pass == LIST_CANDIDATES) {
        row.bound = _mm512_set1_epi32(g->bound[r]);
        row.list->count = 0;
    }
    return row;
}

/* Which of 64 scores reach the bound: one mask from the packed signs of differences, since instructions that
 * write masks take time from the product. */
static inline __attribute__((always_inline)) __mmask64 reaching_by_signs(const __m512i bits[VECTORS],
                                                                         bool positive, __m512i bound) {
    const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i below[VECTORS];
    DL_UNROLL
    for (int v = 0; v < VECTORS; v++)
        below[v] = _mm512_sub_epi32(keys_of(bits[v], positive), bound);
    __m512i signs =
        _mm512_packs_epi16(_mm512_packs_epi32(below[0], below[1]), _mm512_packs_epi32(below[2], below[3]));
    return ~_mm512_movepi8_mask(_mm512_permutexvar_epi32(in_order, signs));
}

static inline __attribute__((always_inline)) void pass_block(row_state *row, int64_t j, const int pass,
                                                             const bool positive) {
    __m512i bits[VECTORS];
    if (pass == KEEP_BEST)
        return;
    load_block(row->scores + j, BLOCK, bits);
    if (pass == FIND_MAXIMA) {
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            row->largest = _mm512_max_epi32(row->largest, keys_of(bits[v], positive));
    } else {
        append_chosen(bits, j, reaching_by_signs(bits, positive, row->bound), row->list);
    }
}

/* Rows that cannot be chosen from their lists are marked for later. */
static inline __attribute__((always_inline)) void end_row(group *g, int64_t r, const row_state *row,
                                                          const int pass, const bool positive) {
    if (pass == FIND_MAXIMA)
        g->largest[r] = row->largest;
    else if (pass == LIST_CANDIDATES)
        end_list(g->bound[r], row->list);
    else
        g->count[r] =
            keep_above(row->list, g->cut[r], g->k, positive, output_at(g->out, r, g->k)) ? (int32_t)g->k : -1;
}

static inline __attribute__((always_inline)) int64_t blocks_of_row(const group *g, const int pass) {
    return pass == KEEP_BEST ? 1 : g->m / BLOCK;
}

/* Samples of a tile, and steps of the product for each block of scores. */
enum { TILE_ROWS = 4, STEPS = 4 };

/* The place of a product: entries of four samples and of four panels, x_stride and e_stride apart. */
typedef struct place {
    const float *x, *e;
    int64_t x_stride, x_stride3, e_stride, e_stride3;
} place;

/* Some steps of the product. The compiler is kept from giving each of the eight addresses a register of its
 * own: there are not enough of them. */
static inline __attribute__((always_inline)) void advance(place *at, const int64_t steps,
                                                          __m512 sum[ROWS][WIDE]) {
    const float *x[ROWS] = {at->x, at->x + at->x_stride, at->x + 2 * at->x_stride, at->x + at->x_stride3};
    const float *e[WIDE] = {at->e, at->e + at->e_stride, at->e + 2 * at->e_stride, at->e + at->e_stride3};
    DL_UNROLL
    for (int64_t d = 0; d < steps; d++)
        step(e, x, d, TILE_ROWS, WIDE, sum);
    at->x += steps;
    at->e += steps * DL_PANEL;
    __asm__("" : "+r"(at->x), "+r"(at->e));
}

/* The scores of a tile, beside them the next `rows` rows of a pass. */
static inline __attribute__((always_inline)) void tile(const strip *t, const float *X, float *S, group *g,
                                                       int64_t rows, const int pass, const bool positive) {
    int64_t panel = t->n * DL_PANEL, end = blocks_of_row(g, pass) * BLOCK;
    place at = {X, t->panel, t->x_stride, 3 * t->x_stride, panel, 3 * panel};
    const float *last_x = X + t->n;
    __m512 sum[ROWS][WIDE];
    __asm__("" : "+r"(at.x_stride3), "+r"(at.e_stride3));
    begin(t, TILE_ROWS, WIDE, sum);
    for (int64_t r = g->row; r < g->row + rows; r++) {
        row_state row = begin_row(g, r, pass);
        for (int64_t j = 0; j < end; j += BLOCK) {
            advance(&at, STEPS / 2, sum);
            pass_block(&row, j, pass, positive);
            advance(&at, STEPS / 2, sum);
        }
        end_row(g, r, &row, pass, positive);
    }
    while (at.x + STEPS <= last_x)
        advance(&at, STEPS, sum);
    while (at.x < last_x)
        advance(&at, 1, sum);
    store_all(S, g->m, TILE_ROWS, WIDE, sum);
}

#define TILE(name, pass, positive)                                                                           \
    static __attribute__((noinline)) void name(const strip *t, const float *X, float *S, group *g,           \
                                               int64_t rows) {                                               \
        tile(t, X, S, g, rows, pass, positive);                                                              \
    }

TILE(find_maxima, FIND_MAXIMA, false)
TILE(find_maxima_positive, FIND_MAXIMA, true)
TILE(list_candidates, LIST_CANDIDATES, false)
TILE(list_candidates_positive, LIST_CANDIDATES, true)
TILE(keep_best, KEEP_BEST, false)
TILE(keep_best_positive, KEEP_BEST, true)

/* What a pass has found is evaluated for all rows at once; then the next one may begin. */
static __attribute__((noinline)) void end_pass(group *g, bool positive) {
    if (g->pass == FIND_MAXIMA)
        dl_kth_of_group(g->largest, g->k, g->bound);
    else if (g->pass == LIST_CANDIDATES)
        dl_cuts_of_group(g->list, g->k, positive, g->cut);
    else
        for (int r = 0; r < GROUP; r++) /* room for one row: those after it are there already */
            if (g->count[r] < 0)
                g->count[r] =
                    dl_select_row_avx512(g->S + r * g->m, g->m, g->k, positive,
                                         (output){g->out.index + r * g->k, g->out.value + r * g->k, g->k});
    g->pass++;
    g->row = 0;
}

/* One tile of scores, beside it as much of a pass as there are steps for. */
static void tile_beside(const strip *t, const float *X, float *S, group *g, bool positive) {
    static void (*const tiles[DONE + 1][2])(const strip *, const float *, float *, group *,
                                            int64_t) = {{find_maxima, find_maxima_positive},
                                                        {list_candidates, list_candidates_positive},
                                                        {keep_best, keep_best_positive},
                                                        {keep_best, keep_best_positive}}; /* done: no rows */
    int64_t room = t->n / STEPS / blocks_of_row(g, g->pass), left = g->pass < DONE ? GROUP - g->row : 0;
    int64_t rows = left < room ? left : room;
    tiles[g->pass][positive](t, X, S, g, rows);
    g->row += rows;
    if (g->pass < DONE && g->row == GROUP)
        end_pass(g, positive);
}

/* Selects a group that no product follows, or one too short to select it beside. */
static void finish(group *g, bool positive) {
    if (g->pass < DONE)
        dl_select_avx512popcnt(g->S, g->m, GROUP, g->m, g->k, positive, NULL, g->count, g->out.index,
                               g->out.value);
    g->pass = DONE;
}

/* The scores of 16 samples, beside them the selection of a group. */
static void scores_beside(const dl_packed *E, const float *X, int64_t x_stride, float *S, group *g,
                          bool positive) {
    for (int64_t p = 0; p < E->panels; p += WIDE) {
        strip t = {E->data + p * E->n * DL_PANEL, E->bias + p * DL_PANEL, E->n, x_stride,
                   E->m - p * DL_PANEL};
        for (int64_t i = 0; i < GROUP; i += TILE_ROWS)
            tile_beside(&t, X + i * x_stride, S + i * E->m + p * DL_PANEL, g, positive);
    }
    finish(g, positive);
}

/* Apart from the function below, so that a call with few samples does not pay for it. */
static __attribute__((noinline)) int64_t code_groups(const dl_packed *E, const float *X, int64_t x_stride,
                                                     int64_t rows, int64_t k, bool positive, float *S,
                                                     int32_t *count, output out) {
    int64_t m = E->m, i = 0;
    group g; /* none yet; its arrays are filled by the passes */
    g.m = m;
    g.k = k;
    g.pass = DONE;
    g.row = 0;
    for (; i + GROUP <= rows; i += GROUP) {
        float *scores = S + i / GROUP % 2 * GROUP * m; /* two groups in turn, to stay in the L1 cache */
        scores_beside(E, X + i * x_stride, x_stride, scores, &g, positive);
        g.S = scores;
        g.count = count + i;
        g.out = output_at(out, i, k);
        g.pass = FIND_MAXIMA;
        g.row = 0;
    }
    finish(&g, positive);
    return i;
}

int64_t dl_features_avx512popcnt(const dl_packed *E, const float *X, int64_t x_stride, int64_t rows,
                                 int64_t k, bool positive, float *S, int32_t *count, int32_t *index,
                                 float *value) {
    enum { LEAST_N = 64 }; /* with fewer, a selection does not fit beside the next product */
    if (rows < GROUP || !selects_few(E->m, k) || E->m % BLOCK != 0 || E->n < LEAST_N)
        return 0;
    return code_groups(E, X, x_stride, rows, k, positive, S, count, (output){index, value, rows * k});
}
