/* Sums of scaled rows: products with sparse codes. */
#include "kernels/level/lanes.h"

/* `vectors` x DL_LANES columns of dl_gap_row. Explicit vectors: compilers do not keep arrays in registers. */
DL_INLINE void gap_columns(const float *G, int64_t m, const int32_t *index, const float *value, int64_t count,
                           const float *b, float scale, float *p, int vectors) {
    vec sum[8];
    DL_UNROLL for (int v = 0; v < vectors; v++) sum[v] = -load(b + v * DL_LANES);
    for (int64_t e = 0; e < count; e++) {
        const float *g = G + index[e] * m;
        DL_UNROLL for (int v = 0; v < vectors; v++) sum[v] += value[e] * load(g + v * DL_LANES);
    }
    DL_UNROLL for (int v = 0; v < vectors; v++) store(p + v * DL_LANES, scale * sum[v]);
}

void DL_LEVELLED(dl_gap_row)(const float *G, int64_t m, const int32_t *index, const float *value,
                             int64_t count, const float *b, float scale, float *p) {
    int64_t j = 0;
    for (; j + 8 * DL_LANES <= m; j += 8 * DL_LANES)
        gap_columns(G + j, m, index, value, count, b + j, scale, p + j, 8);
    for (; j + DL_LANES <= m; j += DL_LANES)
        gap_columns(G + j, m, index, value, count, b + j, scale, p + j, 1);
    for (; j < m; j++) {
        float sum = -b[j];
        for (int64_t e = 0; e < count; e++)
            sum += value[e] * G[index[e] * m + j];
        p[j] = scale * sum;
    }
}

void DL_LEVELLED(dl_add_scaled)(double *sum, float scale, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        sum[i] += (double)scale * (double)x[i];
}

enum { DOUBLES = DL_LANES / 2 };
typedef double doubles __attribute__((vector_size(8 * DOUBLES), __may_alias__));
typedef double loose_doubles __attribute__((vector_size(8 * DOUBLES), aligned(8), __may_alias__));

/* The next floats as doubles. Intrinsics: GCC 12 converts AVX-512 vectors in halves. */
DL_INLINE doubles widen(const float *x) {
#if defined(__AVX512F__)
    return (doubles)_mm512_cvtps_pd(_mm256_loadu_ps(x));
#elif defined(__AVX2__)
    return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(x));
#else
    typedef float half __attribute__((vector_size(4 * DOUBLES), aligned(4), __may_alias__));
    return __builtin_convertvector(*(const half *)x, doubles);
#endif
}

enum { ROWS = 4 };

/* `rows` rows of dl_add_rows at once, from end to end: their entries come from far away, and processors fetch
 * ahead what is read in order. */
DL_INLINE void add_some(double *sum, int64_t n, const float *const *x, const float *scale, int rows) {
    int64_t j = 0;
    for (; j + DOUBLES <= n; j += DOUBLES) {
        doubles total = *(const loose_doubles *)(sum + j);
        DL_UNROLL for (int r = 0; r < rows; r++) total += (double)scale[r] * widen(x[r] + j);
        *(loose_doubles *)(sum + j) = total;
    }
    for (; j < n; j++)
        for (int r = 0; r < rows; r++)
            sum[j] += (double)scale[r] * (double)x[r][j];
}

void DL_LEVELLED(dl_add_rows)(double *sum, int64_t n, const float *const *x, const float *scale,
                              int64_t count) {
    int64_t e = 0;
    for (; e + ROWS <= count; e += ROWS)
        add_some(sum, n, x + e, scale + e, ROWS);
    for (; e < count; e++)
        add_some(sum, n, x + e, scale + e, 1);
}

/* Sixteen lanes at every level, so that the result is the same. */
enum { WIDTH = 16, VECTORS = WIDTH / DOUBLES };

double DL_LEVELLED(dl_square_of_sum)(const float *x, double sign, const float *y, int64_t n) {
    doubles sum[VECTORS] = {{0}};
    double *lane = (double *)sum;
    int64_t j = 0;
    for (; j + WIDTH <= n; j += WIDTH)
        DL_UNROLL for (int v = 0; v < VECTORS; v++) {
            doubles d = widen(x + j + v * DOUBLES) + sign * widen(y + j + v * DOUBLES);
            sum[v] += d * d;
        }
    for (int l = 0; j + l < n; l++) {
        double d = (double)x[j + l] + sign * (double)y[j + l];
        lane[l] += d * d;
    }
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}
