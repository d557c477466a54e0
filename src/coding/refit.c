/* Least squares on a given support: turns correlations into coefficients. */
#include "coding/coder.h"
#include "coding/least_squares.h"

#include <math.h>

static double dot(const float *a, const float *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static bool all_finite(const float *z, int64_t count) {
    for (int64_t e = 0; e < count; e++)
        if (!isfinite(z[e]))
            return false;
    return true;
}

void dl_refit_tile(const float *W, int64_t n, const float *X, int64_t rows, dl_slots slots, double *scratch) {
    for (int64_t i = 0; i < rows; i++) {
        int64_t s = slots.count[i];
        const int32_t *S = slots.index + i * slots.k;
        float *z = slots.value + i * slots.k;
        if (!all_finite(z, s)) /* scores overflowed: the caller must see it */
            continue;
        double *G = scratch, *b = scratch + s * s;
        for (int64_t p = 0; p < s; p++) {
            for (int64_t q = 0; q <= p; q++)
                G[p * s + q] = dot(W + S[p] * n, W + S[q] * n, n);
            b[p] = dot(W + S[p] * n, X + i * n, n);
        }
        dl_solve_support(G, b, s);
        for (int64_t p = 0; p < s; p++)
            z[p] = (float)b[p];
    }
}
