/* Oracles of learning: statistics, subproblems and encoders as plain double-precision loops. Codes are dense
 * (Z: N x m); other conventions as in reference.h. */
#ifndef TESTS_REFERENCE_LEARNING_H
#define TESTS_REFERENCE_LEARNING_H

#include <stdbool.h>
#include <stdint.h>

/* Rows are atoms: C = Z^T X (m x n), D = Z^T Z (m x m), A = X^T X (n x n) and, unless M (N x m) is NULL,
 * F = M^T X (m x n), H = Z^T M (m x m). */
typedef struct ref_statistics {
    double *C, *D, *A, *F, *H;
    double X_square, M_square;
} ref_statistics;

ref_statistics ref_statistics_new(const double *X, const double *Z, const double *M, int64_t m, int64_t n,
                                  int64_t N);
void ref_statistics_free(ref_statistics *s);

/* theta/2 ||x - Wz||^2 + beta/2 ||W^T (Wz - x) + shift||^2; shift = NULL omits the last term. */
double ref_z_objective(const double *W, int64_t m, int64_t n, const double *x, const double *z,
                       const double *shift, double theta, double beta);

/* The Z-step by definition: from z = max_k(W^T x), `steps` steps z <- max_k(z - step grad); without shift
 * then least squares on the support, if its atoms are independent and, with `positive`, the values are
 * positive. Keeps the initial z if the objective has increased. */
void ref_z_step(const double *W, int64_t m, int64_t n, int64_t k, bool positive, const double *x,
                const double *shift, double theta, double beta, double step, int steps, double *z);

/* Largest eigenvalue of W W^T by power iteration. */
double ref_largest_eigenvalue(const double *W, int64_t m, int64_t n);

/* E = (W W^T + r I)^{-1} W in the paper's notation, rows scaled so that <e_j, w_j> = 1; `small`: by the
 * equivalent W (W^T W + r I)^{-1}. By Gauss-Jordan elimination; false if the matrix is singular. */
bool ref_dual_encoder(const double *W, int64_t m, int64_t n, double r, bool small, double *E);

/* min sum_i ||E x_i - b - z_i||^2 + N r ||E||^2 over E (m x n) and b (m), by normal equations. Returns its
 * generalised cross-validation score sum_i ||E x_i - b - z_i||^2 / (1 - freedom/N)^2, where freedom, the
 * trace of the map from values to fitted values, includes b. */
double ref_affine_ridge(const double *X, const double *Z, int64_t N, int64_t n, int64_t m, double r,
                        double *E, double *b);

/* One iteration of K-SVD on W (m x n): codes by ref_omp, then for each atom in order the best rank-one fit to
 * the samples that use it (one power iteration unless `exact`). Returns the final ||X - WZ||^2. */
double ref_ksvd_iteration(const double *X, int64_t N, int64_t n, int64_t m, int64_t k, bool exact, double *W);

#endif
