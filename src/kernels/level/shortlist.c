/* The inner loops of the shortlist coder: Gram matrix and scores of a few atoms, backward elimination among
 * them, and the normal equations of those that stay. Vectors of 16 floats become what the level has; the
 * build allows fused multiply-adds here, so the last bits depend on the level, as those of scores do. */
#include "kernels/level/level.h"

#include <math.h>
#include <string.h>

enum { LANES = 16, ROWS = 4, VECTORS = 2 };

typedef float vec __attribute__((vector_size(64), __may_alias__));
typedef float loose_vec __attribute__((vector_size(64), aligned(4), __may_alias__));
typedef float vec8 __attribute__((vector_size(32)));
typedef float vec4 __attribute__((vector_size(16)));
typedef int32_t ivec __attribute__((vector_size(64), __may_alias__));

_Static_assert(DL_SHORTLIST_WIDTH == LANES * VECTORS, "rows are made of whole blocks");

static inline __attribute__((always_inline)) float total(const vec *v) {
    vec8 eight = __builtin_shufflevector(*v, *v, 0, 1, 2, 3, 4, 5, 6, 7) +
                 __builtin_shufflevector(*v, *v, 8, 9, 10, 11, 12, 13, 14, 15);
    vec4 four =
        __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
    four += __builtin_shufflevector(four, four, 2, 3, 0, 1);
    return four[0] + four[1];
}

/* ---- Products of a few atoms ---- */

/* out[i][j] = <a_i, b_j> for `rows` vectors a and ROWS vectors b. */
static inline __attribute__((always_inline)) void products(const float *const *a, int rows,
                                                           const float *const *b, int64_t n,
                                                           float out[ROWS][ROWS]) {
    vec sum[ROWS][ROWS] = {{{0}}};
    int64_t d = 0;
    for (; d + LANES <= n; d += LANES) {
        vec right[ROWS];
        DL_UNROLL for (int j = 0; j < ROWS; j++) right[j] = *(const loose_vec *)(b[j] + d);
        DL_UNROLL for (int i = 0; i < rows; i++) {
            vec left = *(const loose_vec *)(a[i] + d);
            DL_UNROLL for (int j = 0; j < ROWS; j++) sum[i][j] += left * right[j];
        }
    }
    DL_UNROLL for (int i = 0; i < rows; i++) DL_UNROLL for (int j = 0; j < ROWS; j++) {
        out[i][j] = total(&sum[i][j]);
        for (int64_t rest = d; rest < n; rest++)
            out[i][j] += a[i][rest] * b[j][rest];
    }
}

/* The atoms index[at .. at+ROWS-1], the last one again where there are fewer. */
static void atoms_at(const float *W, int64_t n, const int32_t *index, int64_t count, int64_t at,
                     const float *rows[ROWS]) {
    for (int64_t r = 0; r < ROWS; r++)
        rows[r] = W + index[at + r < count ? at + r : count - 1] * n;
}

void DL_LEVELLED(dl_gram_few)(const float *W, int64_t n, const int32_t *index, int64_t count, float *G,
                              int64_t stride) {
    float block[ROWS][ROWS];
    for (int64_t i = 0; i < count; i += ROWS)
        for (int64_t j = 0; j <= i; j += ROWS) {
            const float *a[ROWS], *b[ROWS];
            atoms_at(W, n, index, count, i, a);
            atoms_at(W, n, index, count, j, b);
            products(a, ROWS, b, n, block);
            for (int64_t r = i; r < i + ROWS && r < count; r++)
                for (int64_t c = j; c < j + ROWS && c < count; c++)
                    G[r * stride + c] = G[c * stride + r] = block[r - i][c - j];
        }
}

void DL_LEVELLED(dl_scores_few)(const float *W, int64_t n, const int32_t *index, int64_t count,
                                const float *x, float *out) {
    float block[ROWS][ROWS];
    for (int64_t j = 0; j < count; j += ROWS) {
        const float *b[ROWS];
        atoms_at(W, n, index, count, j, b);
        products(&x, 1, b, n, block);
        for (int64_t c = j; c < j + ROWS && c < count; c++)
            out[c] = block[0][c - j];
    }
}

/* ---- Elimination ---- */

/* Conjugate gradients on the entries that are left; all vectors have `width` entries and zeros elsewhere. */
typedef struct system {
    const float *G; /* width apart */
    int64_t width, left;
    float ridge;
    int32_t *list; /* the entries that are left, ascending */
    vec *z, *residual, *p, *q, *mask;
} system;

/* out += sum_e scale_{list[e]} G_{list[e]} */
static inline __attribute__((always_inline)) void add_rows(const system *s, const int32_t *list,
                                                           int64_t count, const float *scale, vec *out) {
    for (int64_t at = 0; at < s->width; at += VECTORS * LANES) {
        vec sum[ROWS][VECTORS] = {{{0}}};
        int64_t e = 0;
        for (; e + ROWS <= count; e += ROWS)
            DL_UNROLL for (int r = 0; r < ROWS; r++) {
                const vec *row = (const vec *)(s->G + list[e + r] * s->width + at);
                DL_UNROLL for (int v = 0; v < VECTORS; v++) sum[r][v] += scale[list[e + r]] * row[v];
            }
        for (; e < count; e++) {
            const vec *row = (const vec *)(s->G + list[e] * s->width + at);
            DL_UNROLL for (int v = 0; v < VECTORS; v++) sum[0][v] += scale[list[e]] * row[v];
        }
        DL_UNROLL for (int v = 0; v < VECTORS; v++) out[at / LANES + v] +=
            (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]);
    }
}

static inline __attribute__((always_inline)) float inner(const system *s, const vec *x, const vec *y) {
    vec sum = {0};
    for (int64_t v = 0; v < s->width / LANES; v++)
        sum += x[v] * y[v];
    return total(&sum);
}

/* `steps` steps towards (G + ridge I) z = b, from the z and the residual that are there. */
static inline __attribute__((always_inline)) void solve(system *s, int steps) {
    int64_t vectors = s->width / LANES;
    float square = inner(s, s->residual, s->residual);
    for (int64_t v = 0; v < vectors; v++)
        s->p[v] = s->residual[v];
    for (int step = 0; step < steps && square > 1e-12f; step++) {
        for (int64_t v = 0; v < vectors; v++)
            s->q[v] = s->ridge * s->p[v];
        add_rows(s, s->list, s->left, (const float *)s->p, s->q);
        float length = square / inner(s, s->p, s->q), before = square;
        vec sum = {0};
        for (int64_t v = 0; v < vectors; v++) {
            s->z[v] += length * s->p[v];
            s->residual[v] -= length * s->q[v] * s->mask[v];
            sum += s->residual[v] * s->residual[v];
        }
        square = total(&sum);
        float turn = square / before;
        for (int64_t v = 0; v < vectors; v++)
            s->p[v] = s->residual[v] + turn * s->p[v];
    }
}

/* Keys in the order of |z|, or of z, all different: their last bits count the entries down, so that of equal
 * ones, to a few units in the last place, the last is the smallest. */
static inline __attribute__((always_inline)) void make_keys(const system *s, bool positive, int32_t *key) {
    const float *z = (const float *)s->z;
    int32_t low = 1;
    while (low < s->width)
        low *= 2;
    for (int64_t i = 0; i < s->width; i++) {
        int32_t bits;
        memcpy(&bits, &z[i], sizeof bits);
        bits = positive ? bits ^ (bits >> 31 & INT32_MAX) : bits & INT32_MAX;
        key[i] = (bits & -low) | (low - 1 - (int32_t)i);
    }
}

/* rank[i]: how many of the entries that are left have a smaller key. */
static inline __attribute__((always_inline)) void rank_keys(const system *s, const int32_t *key, ivec *rank) {
    for (int64_t v = 0; v < s->width / LANES; v++) {
        ivec here = ((const ivec *)key)[v], below = {0};
        for (int64_t e = 0; e < s->left; e++)
            below += here > key[s->list[e]];
        rank[v] = -below;
    }
}

/* Drops the entries with the `count` smallest |z|, or with the smallest z. */
static inline __attribute__((always_inline)) void drop(system *s, int64_t count, bool positive,
                                                       int32_t *rank) {
    float *z = (float *)s->z, *mask = (float *)s->mask;
    int64_t left = 0, gone = 0;
    make_keys(s, positive, (int32_t *)s->q);
    rank_keys(s, (const int32_t *)s->q, (ivec *)rank);
    for (int64_t e = 0; e < s->left; e++) {
        int32_t j = s->list[e];
        if (rank[j] >= count) {
            s->list[left++] = j;
            continue;
        }
        mask[j] = 0;
        rank[gone++] = j; /* gone <= j: that rank is not needed any more */
    }
    add_rows(s, rank, gone, z, s->residual);
    s->left = left;
    for (int64_t v = 0; v < s->width / LANES; v++) {
        s->z[v] *= s->mask[v];
        s->residual[v] *= s->mask[v];
    }
}

static inline __attribute__((always_inline)) void eliminate(const float *G, const float *b, int64_t count,
                                                            int64_t width, int64_t k, float ridge,
                                                            bool positive, float *work, int32_t *list) {
    enum { FIRST_STEPS = 5, LATER_STEPS = 3 };
    vec *at = (vec *)work;
    int64_t vectors = width / LANES;
    system s = {.G = G, .width = width, .left = count, .ridge = ridge, .list = list};
    s.z = at;
    s.residual = at + vectors;
    s.p = at + 2 * vectors;
    s.q = at + 3 * vectors;
    s.mask = at + 4 * vectors;
    for (int64_t i = 0; i < width; i++) {
        ((float *)s.z)[i] = 0;
        ((float *)s.residual)[i] = i < count ? b[i] : 0;
        ((float *)s.mask)[i] = i < count;
        list[i] = (int32_t)i;
    }
    for (int steps = FIRST_STEPS; s.left > k; steps = LATER_STEPS) {
        int64_t quarter = (s.left + 3) / 4, surplus = s.left - k;
        solve(&s, steps);
        drop(&s, quarter < surplus ? quarter : surplus, positive, (int32_t *)(work + 5 * width));
    }
}

/* The usual small width is a constant of its own: vectors then stay in registers. */
void DL_LEVELLED(dl_eliminate)(const float *G, const float *b, int64_t count, int64_t width, int64_t k,
                               float ridge, bool positive, float *work, int32_t *list) {
    if (width == DL_SHORTLIST_WIDTH)
        eliminate(G, b, count, DL_SHORTLIST_WIDTH, k, ridge, positive, work, list);
    else
        eliminate(G, b, count, width, k, ridge, positive, work, list);
}

/* ---- Values ---- */

double DL_LEVELLED(dl_solve_few)(double *A, double *b, int64_t s) {
    double smallest = INFINITY;
    for (int64_t j = 0; j < s; j++) {
        const double *row = A + j * s;
        double inverse = 1 / row[j];
        smallest = row[j] < smallest ? row[j] : smallest;
        for (int64_t i = j + 1; i < s; i++) {
            double factor = row[i] * inverse;
            for (int64_t l = i; l < s; l++)
                A[i * s + l] -= factor * row[l];
            b[i] -= factor * b[j];
        }
    }
    for (int64_t j = s - 1; j >= 0; j--) {
        b[j] /= A[j * s + j];
        for (int64_t i = 0; i < j; i++)
            b[i] -= A[i * s + j] * b[j];
    }
    return smallest;
}
