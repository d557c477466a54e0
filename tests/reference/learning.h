/* Oracles of learning: statistics, sub-problems and the dual encoder as plain double-precision loops. Codes
 * are dense here (Z: N x m); otherwise as in reference.h. */
#ifndef TESTS_REFERENCE_LEARNING_H
#define TESTS_REFERENCE_LEARNING_H

#include <stdbool.h>
#include <stdint.h>

/* Rows are atoms: C = Z^T X (m x n), D = Z^T Z (m x m), A = X^T X (n x n), and with M (N x m; or NULL) F =
 * M^T X (m x n), H = Z^T M (m x m). */
typedef struct ref_statistics {
    double *C, *D, *A, *F, *H;
    double X_square, M_square;
} ref_statistics;

ref_statistics ref_statistics_new(const double *X, const double *Z, const double *M, int64_t m, int64_t n,
                                  int64_t N);
void ref_statistics_free(ref_statistics *s);

/* theta/2 ||x - Wz||^2 + beta/2 ||W^T (Wz - x) + shift||^2; NULL shift leaves the last term out. */
double ref_z_objective(const double *W, int64_t m, int64_t n, const double *x, const double *z,
                       const double *shift, double theta, double beta);

/* The Z-step by its definition: z = max_k(W^T x), `steps` steps z <- max_k(z - step grad), without shift then
 * least squares on the support if its atoms are independent (`positive`: and if it gives positive values);
 * the start where that is not better. */
void ref_z_step(const double *W, int64_t m, int64_t n, int64_t k, bool positive, const double *x,
                const double *shift, double theta, double beta, double step, int steps, double *z);

/* Largest eigenvalue of W W^T by power iteration. */
double ref_largest_eigenvalue(const double *W, int64_t m, int64_t n);

/* E = (W W^T + r I)^{-1} W in the paper's letters, rows scaled so that <e_j, w_j> = 1; `small`: the equal
 * W (W^T W + r I)^{-1}. By Gauss-Jordan elimination; false where the matrix is singular. */
bool ref_dual_encoder(const double *W, int64_t m, int64_t n, double r, bool small, double *E);

/* min sum_i ||E x_i - b - z_i||^2 + N r ||E||^2 over E (m x n) and b (m), by normal equations. Returns its
 * generalised cross-validation score sum_i ||E x_i - b - z_i||^2 / (1 - freedom/N)^2, where freedom counts b
 * and is the trace of the map from values to fitted values. */
double ref_affine_ridge(const double *X, const double *Z, int64_t N, int64_t n, int64_t m, double r,
                        double *E, double *b);

/* One iteration of K-SVD on W (m x n): codes by ref_omp, then atom after atom the best rank-one fit to the
 * samples that use it (one step towards it if not `exact`). Returns ||X - WZ||^2 after it. */
double ref_ksvd_iteration(const double *X, int64_t N, int64_t n, int64_t m, int64_t k, bool exact, double *W);

#endif
