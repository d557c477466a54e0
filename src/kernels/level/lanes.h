/* Small symmetric systems, one sample in each lane of the vectors. No lane reads another one: the result for
 * a sample does not depend on the samples next to it. */
#ifndef DL_KERNELS_LANES_H
#define DL_KERNELS_LANES_H

#include "kernels/level/level.h"

#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

typedef float vec __attribute__((vector_size(4 * DL_LANES), __may_alias__));
typedef int32_t ivec __attribute__((vector_size(4 * DL_LANES), __may_alias__));
typedef uint32_t uvec __attribute__((vector_size(4 * DL_LANES), __may_alias__));
typedef int32_t word __attribute__((__may_alias__)); /* one lane of a vector of any type */

#define DL_INLINE static inline __attribute__((always_inline))

/* Vectors at any address. */
DL_INLINE vec load(const float *x) {
    vec v;
    memcpy(&v, x, sizeof v);
    return v;
}

DL_INLINE void store(float *x, vec v) {
    memcpy(x, &v, sizeof v);
}

/* base[at] in each lane. */
DL_INLINE vec gather(const void *base, ivec at) {
#if defined(__AVX512F__)
    return (vec)_mm512_i32gather_ps((__m512i)at, base, 4);
#elif defined(__AVX2__)
    return (vec)_mm256_i32gather_ps(base, (__m256i)at, 4);
#else
    vec found;
    for (int l = 0; l < DL_LANES; l++)
        found[l] = ((const float *)base)[at[l]];
    return found;
#endif
}

/* Whether a bit is set in any lane. */
DL_INLINE bool any_bit(ivec bits) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)bits, (__m512i)bits) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)bits, (__m256i)bits);
#else
    int32_t any = 0;
    for (int l = 0; l < DL_LANES; l++)
        any |= bits[l];
    return any != 0;
#endif
}

/* The place of entry i of each lane in an array of vectors. */
DL_INLINE ivec places_of(ivec i) {
    ivec lane;
    for (int l = 0; l < DL_LANES; l++)
        lane[l] = l;
    return i * DL_LANES + lane;
}

/* ---- Choosing the largest ---- */

/* The lowest bits of a key that do not count: enough for `count` positions. */
DL_INLINE int32_t position_bits(int64_t count) {
    int32_t bits = 1;
    while (bits < count)
        bits *= 2;
    return bits - 1;
}

/* A key in the order of |z|, or of z. The last bits count positions down: keys are all different, and of z
 * that are equal to a few units in the last place the first is the largest. */
DL_INLINE ivec key_of(vec z, bool positive, int64_t position, int32_t position_bits) {
    ivec bits = (ivec)z;
    bits = positive ? bits ^ (bits >> 31 & INT32_MAX) : bits & INT32_MAX;
    return (bits & ~position_bits) | (position_bits - (int32_t)position);
}

/* a where the mask is set, b elsewhere. */
DL_INLINE ivec choose(ivec mask, ivec a, ivec b) {
    return (mask & a) | (~mask & b);
}

/* The cut above which `kept` < count of the keys lie. They are all different, so there is one. */
DL_INLINE ivec cut_of(const ivec *key, int64_t count, int64_t kept) {
    ivec low = key[0], high = key[0];
    for (int64_t i = 1; i < count; i++) {
        low = choose(key[i] < low, key[i], low);
        high = choose(key[i] > high, key[i], high);
    }
    for (;;) {
        ivec cut = low + (ivec)(((uvec)high - (uvec)low) >> 1), above = {0};
        for (int64_t i = 0; i < count; i++)
            above -= key[i] > cut;
        if (!any_bit(above ^ (int32_t)kept))
            return cut;
        ivec more = above > (int32_t)kept, fewer = above < (int32_t)kept;
        low = choose(fewer, low, cut - more);   /* + 1 where there are more */
        high = choose(more, high, cut + fewer); /* - 1 where there are fewer */
    }
}

/* Orders the positions 0 .. count-1: those of the `kept` largest keys, ascending, then the others, ascending.
 * The keys are overwritten. */
DL_INLINE void partition(ivec *key, int64_t count, int64_t kept, ivec *order) {
    ivec cut = cut_of(key, count, kept), chosen = {0};
    for (int64_t i = 0; i < count; i++) {
        ivec above = key[i] > cut;
        key[i] = choose(above, chosen, (int32_t)(kept + i) - chosen);
        chosen -= above;
    }
    const word *place = (const word *)key; /* from memory: cheaper than taking vectors apart */
    for (int64_t i = 0; i < count; i++)
        for (int l = 0; l < DL_LANES; l++)
            ((word *)order)[place[i * DL_LANES + l] * DL_LANES + l] = (int32_t)i;
}

/* out[i] = in[order[i]] in each lane. */
DL_INLINE void pick(const vec *in, const ivec *order, int64_t count, vec *out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = gather(in, places_of(order[i]));
}

/* ---- Solving ---- */

/* A + ridge I = L D L^T, where A has ones on its diagonal. */
typedef struct equations {
    vec *A;         /* below the diagonal, row by row: entry (i, j) at pair(i, j) */
    vec *factor;    /* rows of `stride`: L below the diagonal, D L^T above */
    vec *inverse;   /* 1 / D */
    int64_t stride; /* the most rows */
} equations;

DL_INLINE int64_t pair(int64_t i, int64_t j) {
    return i * (i - 1) / 2 + j;
}

/* Rows and columns of a block whose sums stay in registers. */
enum { BLOCK_ROWS = DL_LANES == 16 ? 4 : 2, BLOCK_COLS = 4 };

/* sum[r][c] = A_{i+r, j+c} - sum_{l < j} L_{i+r, l} (D L^T)_{l, j+c}; zero where A is not stored. */
DL_INLINE void subtract(equations s, int64_t i, int rows, int64_t j, int cols,
                        vec sum[BLOCK_ROWS][BLOCK_COLS]) {
    const vec *L = s.factor + i * s.stride, *U = s.factor + j;
    DL_UNROLL for (int r = 0; r < rows; r++) DL_UNROLL for (int c = 0; c < cols; c++) sum[r][c] =
        j + c < i + r ? s.A[pair(i + r, j + c)] : (vec){0};
    for (int64_t l = 0; l < j; l++) {
        vec right[BLOCK_COLS];
        DL_UNROLL for (int c = 0; c < cols; c++) right[c] = U[l * s.stride + c];
        DL_UNROLL for (int r = 0; r < rows; r++) {
            vec left = L[r * s.stride + l];
            DL_UNROLL for (int c = 0; c < cols; c++) sum[r][c] -= left * right[c];
        }
    }
}

/* Block (i, j) left of the diagonal. */
DL_INLINE void factor_block(equations s, int64_t i, int rows, int64_t j, int cols) {
    vec sum[BLOCK_ROWS][BLOCK_COLS], *F = s.factor;
    subtract(s, i, rows, j, cols, sum);
    DL_UNROLL for (int c = 0; c < cols; c++) DL_UNROLL for (int r = 0; r < rows; r++) {
        vec scaled = sum[r][c] * s.inverse[j + c];
        F[(j + c) * s.stride + i + r] = sum[r][c];
        F[(i + r) * s.stride + j + c] = scaled;
        DL_UNROLL for (int d = c + 1; d < cols; d++) sum[r][d] -= scaled * F[(j + c) * s.stride + j + d];
    }
}

/* The block on the diagonal. */
DL_INLINE void factor_diagonal(equations s, int64_t i, int rows, float ridge) {
    vec sum[BLOCK_ROWS][BLOCK_COLS], *F = s.factor;
    subtract(s, i, rows, i, rows, sum);
    DL_UNROLL for (int c = 0; c < rows; c++) {
        s.inverse[i + c] = 1 / (sum[c][c] + (1 + ridge));
        DL_UNROLL for (int r = c + 1; r < rows; r++) {
            vec scaled = sum[r][c] * s.inverse[i + c];
            F[(i + c) * s.stride + i + r] = sum[r][c];
            F[(i + r) * s.stride + i + c] = scaled;
            DL_UNROLL for (int d = c + 1; d <= r; d++) sum[r][d] -= scaled * F[(i + c) * s.stride + i + d];
        }
    }
}

DL_INLINE void factor_rows(equations s, int64_t i, int rows, float ridge) {
    int64_t j = 0;
    for (; j + BLOCK_COLS <= i; j += BLOCK_COLS)
        factor_block(s, i, rows, j, BLOCK_COLS);
    for (; j < i; j++)
        factor_block(s, i, rows, j, 1);
    factor_diagonal(s, i, rows, ridge);
}

/* Rows first .. last-1; the rows before are there. */
DL_INLINE void factor(equations s, int64_t first, int64_t last, float ridge) {
    int64_t i = first;
    for (; i + BLOCK_ROWS <= last; i += BLOCK_ROWS)
        factor_rows(s, i, BLOCK_ROWS, ridge);
    for (; i < last; i++)
        factor_rows(s, i, 1, ridge);
}

/* sum_i x_i y_i in each lane. */
DL_INLINE vec dot(const vec *x, const vec *y, int64_t count) {
    enum { CHAINS = 4 };
    vec sum[CHAINS] = {{0}};
    int64_t i = 0;
    for (; i + CHAINS <= count; i += CHAINS)
        DL_UNROLL for (int c = 0; c < CHAINS; c++) sum[c] += x[i + c] * y[i + c];
    for (; i < count; i++)
        sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* z = (A + ridge I)^{-1} b for the first `count` rows. */
DL_INLINE void substitute(equations s, const vec *b, int64_t count, vec *z) {
    for (int64_t i = 0; i < count; i++)
        z[i] = b[i] - dot(s.factor + i * s.stride, z, i);
    for (int64_t i = count - 1; i >= 0; i--)
        z[i] = s.inverse[i] * (z[i] - dot(s.factor + i * s.stride + i + 1, z + i + 1, count - i - 1));
}

/* Leaves the rows and columns order[0 .. count-1] of A, which ascend: every entry moves towards the front. */
DL_INLINE void restrict_to(equations s, const ivec *order, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        ivec row = order[i] * (order[i] - 1) >> 1;
        for (int64_t j = 0; j < i; j++)
            s.A[pair(i, j)] = gather(s.A, places_of(row + order[j]));
    }
}

#endif
