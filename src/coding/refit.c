/* Least squares on a given support: turns correlations into coefficients. */
#include "coding/coder.h"

#include <math.h>

static double dot(const float *a, const float *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Solves the s x s system G z = b by Cholesky, G overwritten. An atom that depends on earlier ones (its pivot
 * vanishes) gets the coefficient 0: its part is already explained. */
static void solve_dependent(double *G, double *b, int64_t s) {
    const double smallest_pivot = 1e-10; /* relative: atoms have norm 1 */
    for (int64_t j = 0; j < s; j++) {
        for (int64_t i = j; i < s; i++) {
            double sum = G[i * s + j];
            for (int64_t l = 0; l < j; l++)
                sum -= G[i * s + l] * G[j * s + l];
            G[i * s + j] = sum;
        }
        double pivot = G[j * s + j];
        double scale = pivot > smallest_pivot ? 1 / sqrt(pivot) : 0;
        for (int64_t i = j; i < s; i++)
            G[i * s + j] *= scale;
    }
    for (int64_t i = 0; i < s; i++) {
        for (int64_t l = 0; l < i; l++)
            b[i] -= G[i * s + l] * b[l];
        b[i] = G[i * s + i] > 0 ? b[i] / G[i * s + i] : 0;
    }
    for (int64_t i = s - 1; i >= 0; i--) {
        for (int64_t l = i + 1; l < s; l++)
            b[i] -= G[l * s + i] * b[l];
        b[i] = G[i * s + i] > 0 ? b[i] / G[i * s + i] : 0;
    }
}

void dl_refit_tile(const float *W, int64_t n, const float *X, int64_t rows, dl_slots slots, double *scratch) {
    for (int64_t i = 0; i < rows; i++) {
        int64_t s = slots.count[i];
        const int32_t *S = slots.index + i * slots.k;
        float *z = slots.value + i * slots.k;
        double *G = scratch, *b = scratch + s * s;
        for (int64_t p = 0; p < s; p++) {
            for (int64_t q = 0; q <= p; q++)
                G[p * s + q] = dot(W + S[p] * n, W + S[q] * n, n);
            b[p] = dot(W + S[p] * n, X + i * n, n);
        }
        solve_dependent(G, b, s);
        for (int64_t p = 0; p < s; p++)
            z[p] = (float)b[p];
    }
}
