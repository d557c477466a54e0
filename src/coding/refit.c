/* Least squares on a given support: turns correlations into coefficients. */
#include "base/finite.h"
#include "coding/feature.h"
#include "coding/least_squares.h"
#include "kernels/gram.h"

/* G_SS and W_S^T x for the support S of one sample; `rows` holds (s + 1) x n doubles. */
static void normal_equations(const float *W, int64_t n, const float *x, const int32_t *S, int64_t s,
                             double *rows, double *G, double *b) {
    double *sample = rows + s * n;
    for (int64_t p = 0; p < s; p++)
        for (int64_t d = 0; d < n; d++)
            rows[p * n + d] = (double)W[S[p] * n + d];
    for (int64_t d = 0; d < n; d++)
        sample[d] = (double)x[d];
    for (int64_t p = 0; p < s; p++)
        dl_gram_row(rows + p * n, rows, p + 1, n, G + p * s);
    dl_gram_row(sample, rows, s, n, b);
}

int64_t dl_refit_scratch(int64_t k, int64_t n) {
    return k * k + k + (k + 1) * n;
}

void dl_refit_tile(const float *W, int64_t n, const float *X, int64_t x_stride, int64_t rows, dl_slots slots,
                   double *scratch) {
    for (int64_t i = 0; i < rows; i++) {
        int64_t s = slots.count[i];
        const int32_t *S = slots.index + i * slots.k;
        float *z = slots.value + i * slots.k;
        double *G = scratch, *b = G + s * s;
        if (!dl_all_finite(z, s)) /* scores overflowed: keep them for the caller to see */
            continue;
        normal_equations(W, n, X + i * x_stride, S, s, b + s, G, b);
        dl_solve_support(G, b, s, 1e-10); /* products in double */
        for (int64_t p = 0; p < s; p++)
            z[p] = (float)b[p];
    }
}

void dl_unscale_tile(const float *scale, dl_slots slots) {
    for (int64_t i = 0; scale && i < slots.rows; i++)
        for (int64_t e = i * slots.k; e < i * slots.k + slots.count[i]; e++)
            slots.value[e] /= scale[slots.index[e]];
}
