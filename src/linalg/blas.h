/* Dense products, Cholesky solves and eigenvalues, row-major. The only interface to BLAS and LAPACK.
 *
 * During each of these calls BLAS itself runs on one thread; the process's setting is restored afterwards.
 * Large double products are split into panels of fixed size, which our own threads compute. A panel is
 * computed the same way on any thread, so results do not depend on the number of threads. */
#ifndef DL_LINALG_BLAS_H
#define DL_LINALG_BLAS_H

#include "base/status.h"

/* "OpenBLAS 0.3.21 ..." */
const char *dl_blas_name(void);

/* Provides the buffers that BLAS needs in this many threads. Every computation that uses the functions below,
 * which cannot fail, asks first. Fails if there is not enough memory for a single buffer; with less than one
 * for each thread, threads wait for each other. */
dltf_status dl_blas_ready(int threads);

typedef enum dl_transpose { DL_PLAIN, DL_TRANSPOSED } dl_transpose;

/* C = op(A) op(B) in f32, on the calling thread; op(A) rows x inner, op(B) inner x cols. lda, ldb, ldc:
 * floats from one row to the next as stored. */
void dl_gemm32(dl_transpose ta, dl_transpose tb, int64_t rows, int64_t cols, int64_t inner, const float *A,
               int64_t lda, const float *B, int64_t ldb, float *C, int64_t ldc);

/* sum += A^T B for a block of samples: A samples x lda of which `cols` columns are used, B samples x n,
 * sum cols x n in f64; `scratch` holds cols x n floats. */
void dl_accumulate_tn(const float *A, int64_t lda, const float *B, int64_t samples, int64_t cols, int64_t n,
                      float *scratch, double *sum);

/* C = alpha op(A) op(B) + beta C in f64 with `threads` threads; op(A) rows x inner, op(B) inner x cols, all
 * dense. */
void dl_gemm(int threads, dl_transpose ta, dl_transpose tb, int64_t rows, int64_t cols, int64_t inner,
             double alpha, const double *A, const double *B, double beta, double *C);

/* Lower Cholesky factor of the symmetric A (size x size), in place, and its transpose above the diagonal;
 * false if A is not positive definite. Reads the lower triangle. */
bool dl_cholesky(double *A, int64_t size);

/* With the factor L of A: B <- A^{-1} B (size x cols), or B <- B A^{-1} (rows x size). */
void dl_solve_left(int threads, const double *L, int64_t size, double *B, int64_t cols);
void dl_solve_right(int threads, const double *L, int64_t size, double *B, int64_t rows);

/* Eigenvalues (ascending) of the symmetric A (size x size) and, as rows of A, its eigenvectors; `scratch`
 * holds dl_eigenvectors_scratch(size) doubles. False if the iteration fails or size is too large. */
enum { DL_MOST_EIGENVECTORS = 32766 }; /* for more, the work size overflows LAPACK's integers */
int64_t dl_eigenvectors_scratch(int64_t size);
bool dl_eigenvectors(double *A, int64_t size, double *values, double *scratch);

/* The orthogonal matrix nearest to A (size x size), in place: U V^T of A = U S V^T. `scratch` holds
 * dl_polar_scratch(size) doubles. False, and A undefined, if the iteration fails. */
bool dl_polar(double *A, int64_t size, double *scratch);
int64_t dl_polar_scratch(int64_t size);

/* Largest eigenvalue of the symmetric positive semidefinite A (size >= 1), approximated from below to well
 * under 1%; `scratch` holds (DL_LANCZOS_STEPS + 1) x size doubles. */
enum { DL_LANCZOS_STEPS = 30 };
double dl_largest_eigenvalue(const double *A, int64_t size, double *scratch);

/* All eigenvalues of the symmetric A (size x size), ascending; A is overwritten, `scratch` holds 3 x size
 * doubles. False if the iteration does not converge. */
bool dl_symmetric_eigenvalues(double *A, int64_t size, double *values, double *scratch);

#endif
