/* Oracles: what the library computes, as plain double-precision loops that can be checked by eye. Slow on
 * purpose, with as little in common with the code under test as possible. As in the library, a row of X, Z,
 * Q, Y is a sample, a row of W is an atom. Oracles abort when out of memory. */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* max_k by repeated search: larger |score| first (`positive`: larger score, positive ones only), ties to the
 * lowest index, exact zeros never. Writes the indices in ascending order and returns their number. */
int64_t ref_topk(const double *scores, int64_t m, int64_t k, bool positive, int32_t *indices);

/* out (N x m) = X W^T: the score of each sample (X: N x n) on each atom (W: m x n). */
void ref_scores(const double *X, int64_t N, int64_t n, const double *W, int64_t m, double *out);

/* z (count entries) = argmin ||x - sum_e z_e w_{support[e]}||^2, by normal equations and Gaussian elimination
 * with pivoting. W: atoms of n entries. False if the atoms are dependent; then z is not written. */
bool ref_least_squares(const double *W, int64_t n, const int32_t *support, int64_t count, const double *x,
                       double *z);

/* ---- Coders of one sample, in coders.c. z: m entries, dense. They return the smallest margin of any
 * decision, relative to the largest score: below rounding level, other decisions are as good. ---- */

/* Orthogonal matching pursuit: adds the atom with the largest |<w_j, r>|, then least squares, until there are
 * k entries, or ||r||^2 <= error, or r is rounding error. */
double ref_omp(const double *W, int64_t m, int64_t n, const double *x, int64_t k, double error, double *z);

/* `passes` of z <- max_k(z + mu W^T(x - Wz)) from z = 0; mu = 0: Blumensath and Davies' adaptive step, never
 * below `safe`. */
double ref_iht(const double *W, int64_t m, int64_t n, const double *x, int64_t k, bool positive, double mu,
               double safe, int64_t passes, double *z);

/* Least squares on the support of z (with `positive` repeated on the positive part until all values are),
 * then passes - 1 times: support of z + E^T(x - Wz), least squares. Returns the best z of all passes. */
double ref_htp(const double *W, const double *E, int64_t m, int64_t n, const double *x, int64_t k,
               bool positive, int64_t passes, double *z);

/* Takes the scores W^T x above the threshold in order of decreasing |score| (`positive`: score, positive ones
 * only). One is kept if |<w_i, w_j>| <= coherence for all kept before it, up to k. */
double ref_incoherent(const double *W, int64_t m, int64_t n, const double *x, int64_t k, bool positive,
                      double coherence, double threshold, double *z);

/* The `candidates` largest scores W^T x. Of more than 2k the k largest and the k others that correlate most
 * with the residual of the ridge regression (r = 0.03) on these. Ridge regression keeps those with the 1.25 k
 * largest |z| (`positive`: z), and again k. Least squares on these. lists = 2: again with the k largest E^T(x
 * - Wz) and the support of z. */
double ref_shortlist(const double *W, const double *E, int64_t m, int64_t n, const double *x, int64_t k,
                     bool positive, int64_t candidates, int lists, double *z);

/* ||x - Wz||^2 */
double ref_residual(const double *W, int64_t m, int64_t n, const double *x, const double *z);

/* q = argmin gamma ||q||^2_{k,2} + ||q - c||^2 by the paper's Algorithm 1, literally: O(m^2). */
void ref_prox(const double *c, int64_t m, int64_t k, double gamma, double *q);

/* gamma ||q||^2_{k,2} + ||q - c||^2 */
double ref_prox_objective(const double *q, const double *c, int64_t m, int64_t k, double gamma);

/* The augmented Lagrangian as a function of W, completed to a square:
 *
 *     rho ||W^T W - I||_F^2 + theta/2 ||X - WZ||_F^2 + beta/2 ||M - W^T (X - WZ)||_F^2,   M = Q + Y/beta
 *
 * in the paper's letters. W: m x n, X: N x n, Z and M: N x m. M = NULL omits the last term. */
double ref_w_objective(const double *W, const double *X, const double *Z, const double *M, int64_t m,
                       int64_t n, int64_t N, double rho, double theta, double beta);

/* ---- Images, in gist.c ---- */

/* The GIST descriptor (512 values) of an image of `channels` planes, reduced to side x side pixels. */
void ref_gist(const float *planes, int64_t channels, int64_t width, int64_t height, int64_t side,
              double *out);

#endif
