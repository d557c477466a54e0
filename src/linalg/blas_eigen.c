/* Eigenvalues, eigenvectors and polar factors of symmetric and square matrices. */
#include "linalg/blas.h"

#include "base/random.h"
#include "linalg/blas_threads.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

/* Work space of dsyevd: doubles, followed by integers. */
static int64_t eigenvector_doubles(int64_t size) {
    return 1 + 6 * size + 2 * size * size;
}

static int64_t eigenvector_integers(int64_t size) {
    return 3 + 5 * size;
}

int64_t dl_eigenvectors_scratch(int64_t size) {
    return eigenvector_doubles(size) + eigenvector_integers(size);
}

/* A symmetric matrix is its own transpose, and LAPACK's columns are our rows. */
bool dl_eigenvectors(double *A, int64_t size, double *values, double *scratch) {
    int64_t doubles = eigenvector_doubles(size);
    int count = (int)size;
    if (size > DL_MOST_EIGENVECTORS)
        return false;
    dl_blas_enter();
    lapack_int info =
        LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', count, A, count, values, scratch, (int)doubles,
                            (lapack_int *)(scratch + doubles), (int)eigenvector_integers(size));
    dl_blas_leave();
    return info == 0;
}

int64_t dl_polar_scratch(int64_t size) {
    return 6 * size * size + 12 * size; /* U, V^T, values; work and (as doubles) integer work of dgesdd */
}

/* Column-major throughout: the polar factor of the transpose is the transpose of the polar factor. */
bool dl_polar(double *A, int64_t size, double *scratch) {
    int count = (int)size;
    double *U = scratch, *Vt = U + size * size, *values = Vt + size * size, *work = values + size;
    int lengths = 4 * count * count + 7 * count;
    lapack_int *integers = (lapack_int *)(void *)(work + lengths);
    dl_blas_enter();
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', count, count, A, count, values, U, count, Vt,
                                          count, work, lengths, integers);
    if (info == 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, count, count, count, 1, U, count, Vt, count, 0,
                    A, count);
    dl_blas_leave();
    return info == 0;
}

/* Lanczos: the largest eigenvalue of A in the Krylov space of a random vector, with full reorthogonalisation.
 */
double dl_largest_eigenvalue(const double *A, int64_t size, double *scratch) {
    int count = (int)size, steps = count < DL_LANCZOS_STEPS ? count : DL_LANCZOS_STEPS, done = 0;
    double diagonal[DL_LANCZOS_STEPS], off[DL_LANCZOS_STEPS];
    double *v = scratch; /* (steps + 1) x size, orthonormal rows */
    for (int64_t i = 0; i < size; i++)
        v[i] = dl_random_normal((dl_random){0, DL_STREAM_EIGENVALUE}, (uint64_t)i);
    dl_blas_enter();
    cblas_dscal(count, 1 / cblas_dnrm2(count, v, 1), v, 1);
    while (done < steps) {
        double *now = v + done * size, *next = now + size;
        cblas_dsymv(CblasRowMajor, CblasLower, count, 1, A, count, now, 1, 0, next, 1);
        diagonal[done] = cblas_ddot(count, now, 1, next, 1);
        for (int pass = 0; pass < 2; pass++) /* once is not enough in floating point */
            for (int j = 0; j <= done; j++)
                cblas_daxpy(count, -cblas_ddot(count, v + j * size, 1, next, 1), v + j * size, 1, next, 1);
        off[done] = cblas_dnrm2(count, next, 1);
        done++;
        if (off[done - 1] <= 1e-10 * fabs(diagonal[0]))
            break; /* the space is invariant: its eigenvalues are exact */
        cblas_dscal(count, 1 / off[done - 1], next, 1);
    }
    LAPACKE_dsterf_work(done, diagonal, off);
    dl_blas_leave();
    return diagonal[done - 1];
}

bool dl_symmetric_eigenvalues(double *A, int64_t size, double *values, double *scratch) {
    dl_blas_enter();
    lapack_int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'L', (int)size, A, (int)size, values, scratch,
                                         3 * (int)size);
    dl_blas_leave();
    return info == 0;
}
