/* Several steps of orthogonal matching pursuit at once (coding/coders/omp_ahead.c): rows of D are read once
 * for all of them. Every sum has the order of dl_pursue, so the bits are the same. */
#include "kernels/level/lanes.h"

enum { ROWS = DL_AHEAD, VECTORS = 3, PANEL = VECTORS * DL_LANES };

/* *l times x. The broadcast is part of the multiplication: as an instruction of its own, which compilers
 * prefer, it occupies an adder of Zen 4, and the loop below takes 1.3 times as long. */
DL_INLINE vec times(const float *l, vec x) {
    vec product;
    __asm__("vmulps %2%{1to16%}, %1, %0" : "=v"(product) : "v"(x), "m"(*l));
    return product;
}

/* Rows s->count .. s->count+rows-1 of D in the columns of a panel. g: the panel's part of the rows of G. */
DL_INLINE void rows_of_D(const dl_pursuit *s, const float *const g[ROWS], int rows, int vectors, float *D,
                         vec d[ROWS][VECTORS]) {
    const float *l[ROWS];
    DL_UNROLL for (int r = 0; r < rows; r++) {
        l[r] = s->l[r];
        DL_UNROLL for (int v = 0; v < vectors; v++) d[r][v] = load(g[r] + v * DL_LANES);
    }
    const vec *earlier = (const vec *)D;
    for (int64_t t = 0; t < s->count; t++, earlier += vectors) {
        vec e[VECTORS];
        DL_UNROLL for (int v = 0; v < vectors; v++) e[v] = earlier[v];
        DL_UNROLL for (int r = 0; r < rows; r++) {
            DL_UNROLL for (int v = 0; v < vectors; v++) d[r][v] -= times(l[r] + t, e[v]);
        }
    }
    vec *now = (vec *)D + s->count * vectors;
    DL_UNROLL for (int r = 0; r < rows; r++) {
        DL_UNROLL for (int q = 0; q < r; q++) {
            DL_UNROLL for (int v = 0; v < vectors; v++) d[r][v] -= times(l[r] + s->count + q, d[q][v]);
        }
        DL_UNROLL for (int v = 0; v < vectors; v++) now[r * vectors + v] = d[r][v] *= s->scale[r];
    }
}

/* The scores of a vector of atoms after step r. */
DL_INLINE vec step_alpha(const dl_pursuit *s, int r, vec alpha, vec d) {
    return alpha - times(&s->c[r], d);
}

/* Magnitudes are compared by their bits: NaN is larger than all numbers, as for dl_largest. */
DL_INLINE __m512i magnitude(vec x) {
    return _mm512_and_epi32((__m512i)x, _mm512_set1_epi32(INT32_MAX));
}

/* The atoms outside the list, among DL_LANES, whose magnitudes reach the bound. */
DL_INLINE __mmask16 failing(const int32_t *place, __m512i magnitudes, __m512i bound) {
    __mmask16 outside = _mm512_movepi32_mask(_mm512_load_si512(place));
    return _mm512_mask_cmpge_epi32_mask(outside, magnitudes, bound);
}

/* The first step after which a score outside the list reaches its bound, in the columns of a panel. */
static int64_t first_failure(const dl_pursuit *s, int64_t at, int rows, int vectors) {
    int64_t first = ROWS;
    for (int v = 0; v < vectors; v++) {
        const vec *d = (const vec *)(s->D + at * s->room) + s->count * vectors + v;
        int64_t j = at + v * DL_LANES;
        vec alpha = *(const vec *)(s->alpha + j);
        for (int r = 0; r < rows && r < first; r++) {
            alpha = step_alpha(s, r, alpha, d[r * vectors]);
            if (failing(s->place + j, magnitude(alpha), (__m512i)_mm512_set1_ps(s->bound[r])))
                first = r;
        }
    }
    return first;
}

/* One panel: rows of D, the scores after the last step, and how many of the steps hold here. The first test
 * is with the lowest bound: it needs only the largest magnitude of each score. */
DL_INLINE int64_t panel(const dl_pursuit *s, int64_t at, const float *const g[ROWS], __m512i lowest, int rows,
                        int vectors) {
    vec d[ROWS][VECTORS];
    uint32_t failed = 0;
    rows_of_D(s, g, rows, vectors, s->D + at * s->room, d);
    DL_UNROLL for (int v = 0; v < vectors; v++) {
        int64_t j = at + v * DL_LANES;
        vec alpha = *(const vec *)(s->alpha + j);
        __m512i most = _mm512_setzero_si512();
        DL_UNROLL for (int r = 0; r < rows; r++) {
            alpha = step_alpha(s, r, alpha, d[r][v]);
            most = _mm512_max_epi32(most, magnitude(alpha));
        }
        *(vec *)(s->after + j) = alpha;
        failed |= failing(s->place + j, most, lowest);
    }
    return failed ? first_failure(s, at, rows, vectors) : ROWS;
}

DL_INLINE int64_t pursue_rows(const dl_pursuit *s, int rows) {
    int64_t hold = ROWS, at = 0;
    const float *g[ROWS];
    __m512i lowest = (__m512i)_mm512_set1_ps(s->bound[0]);
    for (int r = 1; r < rows; r++)
        lowest = _mm512_min_epi32(lowest, (__m512i)_mm512_set1_ps(s->bound[r]));
    for (; at + PANEL <= s->m; at += PANEL) {
        for (int r = 0; r < rows; r++) {
            g[r] = s->g[r] + at;
            DL_UNROLL for (int line = 0; line < PANEL; line += 16) __builtin_prefetch(g[r] + PANEL + line);
        }
        int64_t here = panel(s, at, g, lowest, rows, VECTORS);
        hold = here < hold ? here : hold;
    }
    for (; at < s->m; at += DL_LANES) { /* the rows of G may end within a vector */
        float part[ROWS][DL_LANES] = {{0}};
        int64_t width = s->m - at < DL_LANES ? s->m - at : DL_LANES;
        for (int r = 0; r < rows; r++)
            g[r] = memcpy(part[r], s->g[r] + at, (size_t)width * sizeof(float));
        int64_t here = panel(s, at, g, lowest, rows, 1);
        hold = here < hold ? here : hold;
    }
    return hold;
}

int64_t DL_LEVELLED(dl_pursue_ahead)(const dl_pursuit *s) {
    switch ((s->rows + 1) / 2) {
    case 0:
        return ROWS;
    case 1:
        return pursue_rows(s, 2);
    case 2:
        return pursue_rows(s, 4);
    case 3:
        return pursue_rows(s, 6);
    default:
        return pursue_rows(s, ROWS);
    }
}

/* Panels have VECTORS vectors as long as that many are left, then one. */
DL_INLINE int64_t panel_of(const dl_pursuit *s, int64_t j, int *vectors) {
    int64_t wide = s->m / PANEL * PANEL;
    *vectors = j < wide ? VECTORS : 1;
    return j < wide ? j / PANEL * PANEL : wide + (j - wide) / DL_LANES * DL_LANES;
}

void DL_LEVELLED(dl_pursued_scores)(const dl_pursuit *s, int64_t steps) {
    for (int64_t j = 0; j < s->m; j += DL_LANES) {
        int vectors;
        int64_t at = panel_of(s, j, &vectors);
        const vec *d = (const vec *)(s->D + at * s->room + (j - at)) + s->count * vectors;
        vec alpha = *(const vec *)(s->alpha + j);
        for (int r = 0; r < steps; r++)
            alpha = step_alpha(s, r, alpha, d[r * vectors]);
        *(vec *)(s->after + j) = alpha;
    }
}

void DL_LEVELLED(dl_pursued_column)(const dl_pursuit *s, int64_t j, float *column, int64_t stride) {
    int vectors;
    int64_t at = panel_of(s, j, &vectors);
    const float *d = s->D + at * s->room + (j - at);
    for (int64_t t = 0; t < s->count; t++)
        column[t * stride] = d[t * vectors * DL_LANES];
}

/* ---- The list ---- */

DL_INLINE void step_listed(dl_listed *list, const float *g, int64_t count, const float *l, float scale,
                           float c, int vectors) {
    enum { MOST = DL_LISTED / DL_LANES };
    vec d[MOST], *columns = (vec *)list->columns;
    __mmask16 there[MOST];
    DL_UNROLL for (int v = 0; v < vectors; v++) {
        __m512i atom = _mm512_loadu_si512(list->atom + v * DL_LANES);
        there[v] = (__mmask16)(list->there >> v * DL_LANES);
        d[v] = (vec)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), there[v], atom, g, 4);
    }
    for (int64_t t = 0; t < count; t++) {
        DL_UNROLL for (int v = 0; v < vectors; v++) d[v] -= times(l + t, columns[t * vectors + v]);
    }
    DL_UNROLL for (int v = 0; v < vectors; v++) {
        float *alpha = list->alpha + v * DL_LANES;
        columns[count * vectors + v] = d[v] *= scale;
        store(alpha, (vec)_mm512_maskz_mov_ps(there[v], (__m512)(load(alpha) - c * d[v])));
    }
}

void DL_LEVELLED(dl_pursue_listed)(const float *g, int64_t count, const float *l, float scale, float c,
                                   dl_listed *list) {
    if (list->size == DL_LISTED)
        step_listed(list, g, count, l, scale, c, DL_LISTED / DL_LANES);
    else
        step_listed(list, g, count, l, scale, c, DL_LISTED / 2 / DL_LANES);
}

int64_t DL_LEVELLED(dl_largest_listed)(const dl_listed *list) {
    enum { MOST = DL_LISTED / DL_LANES };
    __m512i key[MOST], most = _mm512_set1_epi32(-1);
    int64_t vectors = list->size / DL_LANES;
    uint64_t equal = 0;
    for (int64_t v = 0; v < vectors; v++) {
        key[v] = magnitude(load(list->alpha + v * DL_LANES));
        most = _mm512_max_epi32(most, key[v]);
    }
    most = _mm512_set1_epi32(_mm512_reduce_max_epi32(most));
    for (int64_t v = 0; v < vectors; v++)
        equal |= (uint64_t)_mm512_cmpeq_epi32_mask(key[v], most) << v * DL_LANES;
    int64_t best = __builtin_ctzll(equal);
    while (equal &= equal - 1) {
        int64_t other = __builtin_ctzll(equal);
        best = list->atom[other] < list->atom[best] ? other : best;
    }
    return best;
}
