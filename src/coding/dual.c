/* The dual encoder: the scores that a least-squares reconstruction would give, at the cost of the same
 * product. */
#include "coding/dual.h"

#include "linalg/blas.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Cholesky factor of B + r I, B the smaller of W W^T and the Gram matrix; r grows until the sum is positive
 * definite despite rounding. */
static void factorise(int threads, const double *W, int64_t m, int64_t n, double r, double *factor) {
    bool wide = m > n; /* n x n: W W^T in the paper's letters; otherwise the m x m Gram matrix */
    int64_t size = wide ? n : m;
    double smallest = 1e-12 * (double)m / (double)size; /* relative to the mean eigenvalue */
    for (double ridge = fmax(r, smallest); isfinite(ridge); ridge *= 10) {
        if (wide)
            dl_gemm(threads, DL_TRANSPOSED, DL_PLAIN, n, n, m, 1, W, W, 0, factor);
        else
            dl_gemm(threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, W, W, 0, factor);
        for (int64_t i = 0; i < size; i++)
            factor[i * size + i] += ridge;
        if (dl_cholesky(factor, size))
            return;
    }
}

void dl_dual_encoder(int threads, const double *W, int64_t m, int64_t n, double r, double *factor,
                     double *E) {
    factorise(threads, W, m, n, r, factor);
    memcpy(E, W, (size_t)(m * n) * sizeof *E);
    if (m > n)
        dl_solve_right(threads, factor, n, E, m);
    else
        dl_solve_left(threads, factor, m, E, n);
    for (int64_t j = 0; j < m; j++) {
        double along = 0;
        for (int64_t i = 0; i < n; i++)
            along += E[j * n + i] * W[j * n + i];
        for (int64_t i = 0; i < n && along > 0; i++)
            E[j * n + i] /= along;
    }
}
