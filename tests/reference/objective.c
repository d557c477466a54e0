/* Oracle of the W-step: the paper's augmented Lagrangian (eq. (lag)) as a function of W, term by term. */
#include "reference/reference.h"

#include <stdlib.h>

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t l = 0; l < n; l++)
        sum += a[l] * b[l];
    return sum;
}

static double incoherence(const double *W, int64_t m, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            double entry = dot(W + i * n, W + j * n, n) - (i == j ? 1 : 0);
            sum += entry * entry;
        }
    return sum;
}

double ref_w_objective(const double *W, const double *X, const double *Z, const double *M, int64_t m,
                       int64_t n, int64_t N, double rho, double theta, double beta) {
    double *residual = calloc((size_t)n, sizeof *residual);
    if (!residual)
        abort();
    double data = 0, noise = 0;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t l = 0; l < n; l++) {
            residual[l] = X[i * n + l];
            for (int64_t j = 0; j < m; j++)
                residual[l] -= Z[i * m + j] * W[j * n + l];
        }
        data += dot(residual, residual, n);
        for (int64_t j = 0; M && j < m; j++) {
            double gap = M[i * m + j] - dot(W + j * n, residual, n);
            noise += gap * gap;
        }
    }
    free(residual);
    return rho * incoherence(W, m, n) + theta / 2 * data + beta / 2 * noise;
}
