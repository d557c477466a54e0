/* Oracle of K-SVD: one iteration, with full matrices and a long power iteration. */
#include "reference/learning.h"
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POWER_STEPS = 2000 };

static double *zeros(int64_t count) {
    double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x)
        abort();
    return x;
}

/* E = the samples that use atom j minus the contributions of the other atoms; other rows are zero. */
static void restricted(const double *X, const double *W, const double *Z, int64_t N, int64_t n, int64_t m,
                       int64_t j, double *E) {
    memset(E, 0, (size_t)(N * n) * sizeof *E);
    for (int64_t i = 0; i < N; i++)
        for (int64_t d = 0; d < n && Z[i * m + j] != 0; d++) {
            E[i * n + d] = X[i * n + d];
            for (int64_t l = 0; l < m; l++)
                E[i * n + d] -= l != j ? Z[i * m + l] * W[l * n + d] : 0;
        }
}

/* w = normalise(E^T z), z = E w, `steps` times. */
static void power(const double *E, int64_t N, int64_t n, int64_t steps, double *w, double *z) {
    double *v = zeros(n);
    for (int64_t step = 0; step < steps; step++) {
        double square = 0;
        memset(v, 0, (size_t)n * sizeof *v);
        for (int64_t i = 0; i < N; i++)
            for (int64_t d = 0; d < n; d++)
                v[d] += z[i] * E[i * n + d];
        for (int64_t d = 0; d < n; d++)
            square += v[d] * v[d];
        if (square == 0)
            break;
        for (int64_t d = 0; d < n; d++)
            w[d] = v[d] / sqrt(square);
        for (int64_t i = 0; i < N; i++) {
            z[i] = 0;
            for (int64_t d = 0; d < n; d++)
                z[i] += E[i * n + d] * w[d];
        }
    }
    free(v);
}

double ref_ksvd_iteration(const double *X, int64_t N, int64_t n, int64_t m, int64_t k, bool exact,
                          double *W) {
    double *Z = zeros(N * m), *E = zeros(N * n), *z = zeros(N), sum = 0;
    for (int64_t i = 0; i < N; i++)
        ref_omp(W, m, n, X + i * n, k, 0, Z + i * m);
    for (int64_t j = 0; j < m; j++) {
        restricted(X, W, Z, N, n, m, j, E);
        for (int64_t i = 0; i < N; i++)
            z[i] = Z[i * m + j];
        power(E, N, n, exact ? POWER_STEPS : 1, W + j * n, z);
        for (int64_t i = 0; i < N; i++)
            Z[i * m + j] = z[i];
    }
    for (int64_t i = 0; i < N; i++)
        sum += ref_residual(W, m, n, X + i * n, Z + i * m);
    free(Z);
    free(E);
    free(z);
    return sum;
}
