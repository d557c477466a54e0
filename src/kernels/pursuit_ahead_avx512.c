/* Several steps of orthogonal matching pursuit at once (coding/omp_ahead.c): rows of D are read once for all
 * of them. Every sum has the order of dl_pursue, so the bits are the same. */
#include "kernels/level/lanes.h"
#include "kernels/transpose_avx512.h"

enum { ROWS = DL_AHEAD, VECTORS = 3, PANEL = VECTORS * DL_LANES };

/* *l times x. The broadcast is part of the multiplication: as an instruction of its own, which compilers
 * prefer, it occupies an adder of Zen 4, and the loop below takes 1.3 times as long. */
DL_INLINE vec times(const float *l, vec x) {
    vec product;
    __asm__("vmulps %2%{1to16%}, %1, %0" : "=v"(product) : "v"(x), "m"(*l));
    return product;
}

/* T[j][0 .. ROWS-1] = row[..][j] for the DL_LANES columns j of a vector. */
DL_INLINE void store_columns(const vec row[ROWS][VECTORS], int v, float *T, int64_t stride) {
    __m512 t[ROWS];
    DL_UNROLL for (int i = 0; i < ROWS; i += 2) {
        t[i] = _mm512_unpacklo_ps((__m512)row[i][v], (__m512)row[i + 1][v]);
        t[i + 1] = _mm512_unpackhi_ps((__m512)row[i][v], (__m512)row[i + 1][v]);
    }
    DL_UNROLL for (int i = 0; i < 4; i++) { /* columns i, i + 4, i + 8, i + 12 */
        int a = i / 2;
        __m512d x = (__m512d)t[a], y = (__m512d)t[a + 2], z = (__m512d)t[a + 4], w = (__m512d)t[a + 6];
        __m512d upper = i % 2 ? _mm512_unpackhi_pd(x, y) : _mm512_unpacklo_pd(x, y);
        __m512d lower = i % 2 ? _mm512_unpackhi_pd(z, w) : _mm512_unpacklo_pd(z, w);
        __m512d low = _mm512_permutex2var_pd(upper, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), lower);
        __m512d high = _mm512_permutex2var_pd(upper, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), lower);
        _mm256_storeu_pd((double *)(T + i * stride), _mm512_castpd512_pd256(low));
        _mm256_storeu_pd((double *)(T + (i + 4) * stride), _mm512_extractf64x4_pd(low, 1));
        _mm256_storeu_pd((double *)(T + (i + 8) * stride), _mm512_castpd512_pd256(high));
        _mm256_storeu_pd((double *)(T + (i + 12) * stride), _mm512_extractf64x4_pd(high, 1));
    }
}

/* Rows s->count .. s->count+ROWS-1 of D in the columns of a panel. g: the panel's part of the rows of G. */
DL_INLINE void rows_of_D(const dl_pursuit *s, const float *const g[ROWS], int vectors, float *D,
                         vec d[ROWS][VECTORS]) {
    const float *l[ROWS];
    DL_UNROLL for (int r = 0; r < ROWS; r++) {
        l[r] = s->l[r];
        DL_UNROLL for (int v = 0; v < vectors; v++) d[r][v] = load(g[r] + v * DL_LANES);
    }
    const vec *earlier = (const vec *)D;
    for (int64_t t = 0; t < s->count; t++, earlier += vectors) {
        vec e[VECTORS];
        DL_UNROLL for (int v = 0; v < vectors; v++) e[v] = earlier[v];
        DL_UNROLL for (int r = 0; r < ROWS; r++) {
            DL_UNROLL for (int v = 0; v < vectors; v++) d[r][v] -= times(l[r] + t, e[v]);
        }
    }
    vec *now = (vec *)D + s->count * vectors;
    DL_UNROLL for (int r = 0; r < ROWS; r++) {
        DL_UNROLL for (int q = 0; q < r; q++) {
            DL_UNROLL for (int v = 0; v < vectors; v++) d[r][v] -= times(l[r] + s->count + q, d[q][v]);
        }
        DL_UNROLL for (int v = 0; v < vectors; v++) now[r * vectors + v] = d[r][v] *= s->scale[r];
    }
}

/* The first step after which a score outside the list reaches its bound, among `width` atoms. */
static int64_t first_failure(const dl_pursuit *s, int64_t at, int64_t width) {
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t j = at; j < at + width; j++)
            if (s->outside[j] && __builtin_fabsf(s->after[r * s->stride + j]) >= s->bound[r])
                return r;
    return ROWS;
}

/* One panel: rows of D, the scores after each step, and how many of the steps hold here. */
DL_INLINE int64_t panel(const dl_pursuit *s, int64_t at, const float *const g[ROWS], int vectors) {
    vec d[ROWS][VECTORS];
    ivec failed = {0};
    rows_of_D(s, g, vectors, s->D + at * s->room, d);
    DL_UNROLL for (int v = 0; v < vectors; v++) {
        int64_t j = at + v * DL_LANES;
        vec alpha = *(const vec *)(s->alpha + j);
        ivec below = {0};
        below -= 1;
        DL_UNROLL for (int r = 0; r < ROWS; r++) {
            alpha -= s->c[r] * d[r][v];
            *(vec *)(s->after + r * s->stride + j) = alpha;
            below &= ((ivec)alpha & INT32_MAX) - (ivec)(s->bound[r] - (vec){0}); /* its sign */
        }
        failed |= ~below & *(const ivec *)(s->outside + j);
        store_columns(d, v, s->T + j * s->room + s->count, s->room);
    }
    return any_bit(failed & INT32_MIN) ? first_failure(s, at, vectors * DL_LANES) : ROWS;
}

int64_t DL_LEVELLED(dl_pursue_ahead)(const dl_pursuit *s) {
    int64_t hold = ROWS, at = 0;
    const float *g[ROWS];
    for (; at + PANEL <= s->m; at += PANEL) {
        for (int r = 0; r < ROWS; r++) {
            g[r] = s->g[r] + at;
            DL_UNROLL for (int line = 0; line < PANEL; line += 16) __builtin_prefetch(g[r] + PANEL + line);
        }
        int64_t here = panel(s, at, g, VECTORS);
        hold = here < hold ? here : hold;
    }
    for (; at < s->m; at += DL_LANES) { /* the rows of G may end within a vector */
        float part[ROWS][DL_LANES] = {{0}};
        int64_t width = s->m - at < DL_LANES ? s->m - at : DL_LANES;
        for (int r = 0; r < ROWS; r++)
            g[r] = memcpy(part[r], s->g[r] + at, (size_t)width * sizeof(float));
        int64_t here = panel(s, at, g, 1);
        hold = here < hold ? here : hold;
    }
    return hold;
}

void DL_LEVELLED(dl_pursuit_columns)(const float *T, int64_t stride, const int32_t *index, int64_t count,
                                     float *columns) {
    for (int64_t t = 0; t < count; t += 16)
        for (int i = 0; i < DL_LISTED; i += 16) {
            __m512i r[16];
            DL_UNROLL for (int a = 0; a < 16; a++) r[a] = _mm512_loadu_si512(T + index[i + a] * stride + t);
            dl_transpose(r);
            DL_UNROLL for (int a = 0; a < 16; a++)
                _mm512_storeu_si512(columns + (t + a) * DL_LISTED + i, r[a]);
        }
}
