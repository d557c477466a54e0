/* Sums of scaled rows: products with sparse codes. */
#include "kernels/level/level.h"

void DL_LEVELLED(dl_gap_row)(const float *G, int64_t m, const int32_t *index, const float *value,
                             int64_t count, const float *b, float *p) {
    for (int64_t j = 0; j < m; j++)
        p[j] = -b[j];
    for (int64_t e = 0; e < count; e++) {
        const float *g = G + index[e] * m;
        float z = value[e];
        for (int64_t j = 0; j < m; j++)
            p[j] += z * g[j];
    }
}

void DL_LEVELLED(dl_add_scaled)(double *sum, float scale, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        sum[i] += (double)scale * (double)x[i];
}

void DL_LEVELLED(dl_add_scaled32)(float *sum, float scale, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        sum[i] += scale * x[i];
}
