/* See plain.h. */
#include "plain.h"

uint8_t plain_encode_f32(const float *weights, const float *bias, const float *x, int m, int n, int k,
                         float *scores, uint16_t *atoms, float *values) {
    for (int i = 0; i < m; i++) {
        float sum = 0;
        for (int j = 0; j < n; j++)
            sum += weights[i * n + j] * x[j];
        scores[i] = sum - (bias ? bias[i] : 0);
    }
    for (int p = 0; p < k; p++) {
        int best = 0;
        for (int i = 1; i < m; i++) {
            float a = scores[i] < 0 ? -scores[i] : scores[i],
                  b = scores[best] < 0 ? -scores[best] : scores[best];
            best = a > b ? i : best;
        }
        atoms[p] = (uint16_t)best;
        values[p] = scores[best];
        scores[best] = 0;
    }
    return (uint8_t)k;
}

enum { M = 128, N = 64 };
static const int8_t weights[M * N] = {1, -2, 3};

void plain_product_i8(const int8_t *x, int32_t *products) {
    const int8_t *w = weights;
    for (int i = 0; i < M; i++, w += N) {
        int32_t sum = 0;
        for (int j = 0; j < N; j++)
            sum += w[j] * x[j];
        products[i] = sum;
    }
}
