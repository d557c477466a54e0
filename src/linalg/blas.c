/* BLAS and LAPACK behind the project's own conventions. */
#include "linalg/blas.h"

#include "base/parallel.h"
#include "base/random.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <pthread.h>

enum {
    PANEL = 64
}; /* rows or columns that one task computes; fixed, or results would depend on the threads */

static pthread_mutex_t entry_lock = PTHREAD_MUTEX_INITIALIZER;
static int entered, threads_before;

void dl_blas_enter(void) {
    pthread_mutex_lock(&entry_lock);
    if (entered++ == 0) {
        threads_before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&entry_lock);
}

void dl_blas_leave(void) {
    pthread_mutex_lock(&entry_lock);
    if (--entered == 0)
        openblas_set_num_threads(threads_before);
    pthread_mutex_unlock(&entry_lock);
}

const char *dl_blas_name(void) {
    return openblas_get_config();
}

void dl_product_symmetric(const float *A, const float *B, int64_t rows, int64_t size, float *C) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)size, (int)size, 1, A, (int)size,
                B, (int)size, 0, C, (int)size);
}

void dl_accumulate_tn(const float *A, int64_t lda, const float *B, int64_t samples, int64_t cols, int64_t n,
                      float *scratch, double *sum) {
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)cols, (int)n, (int)samples, 1, A, (int)lda, B,
                (int)n, 0, scratch, (int)n);
    for (int64_t i = 0; i < cols * n; i++)
        sum[i] += (double)scratch[i];
}

typedef struct product {
    dl_transpose ta, tb;
    int64_t rows, cols, inner;
    double alpha, beta;
    const double *A, *B;
    double *C;
} product;

static int64_t panel_size(int64_t total, int64_t panel) {
    int64_t left = total - panel * PANEL;
    return left < PANEL ? left : PANEL;
}

static void product_panel(void *context, int64_t panel, int worker) {
    (void)worker;
    const product *p = context;
    int64_t first = panel * PANEL, count = panel_size(p->rows, panel);
    bool transposed = p->ta == DL_TRANSPOSED;
    const double *A = p->A + (transposed ? first : first * p->inner);
    cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans,
                p->tb == DL_TRANSPOSED ? CblasTrans : CblasNoTrans, (int)count, (int)p->cols, (int)p->inner,
                p->alpha, A, (int)(transposed ? p->rows : p->inner), p->B,
                (int)(p->tb == DL_TRANSPOSED ? p->inner : p->cols), p->beta, p->C + first * p->cols,
                (int)p->cols);
}

void dl_gemm(int threads, dl_transpose ta, dl_transpose tb, int64_t rows, int64_t cols, int64_t inner,
             double alpha, const double *A, const double *B, double beta, double *C) {
    product p = {ta, tb, rows, cols, inner, alpha, beta, A, B, C};
    dl_parallel(threads, dl_tiles(rows, PANEL), product_panel, &p);
}

bool dl_cholesky(double *A, int64_t size) {
    return LAPACKE_dpotrf_work(LAPACK_ROW_MAJOR, 'L', (int)size, A, (int)size) == 0;
}

typedef struct solve {
    const double *L;
    int64_t size, other; /* other: columns of a left solve, rows of a right solve */
    double *B;
} solve;

static void solve_left_panel(void *context, int64_t panel, int worker) {
    (void)worker;
    const solve *s = context;
    int count = (int)panel_size(s->other, panel), size = (int)s->size, stride = (int)s->other;
    double *B = s->B + panel * PANEL;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, size, count, 1, s->L, size,
                B, stride);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, size, count, 1, s->L, size, B,
                stride);
}

static void solve_right_panel(void *context, int64_t panel, int worker) {
    (void)worker;
    const solve *s = context;
    int count = (int)panel_size(s->other, panel), size = (int)s->size;
    double *B = s->B + panel * PANEL * s->size;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, count, size, 1, s->L, size,
                B, size);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, count, size, 1, s->L, size,
                B, size);
}

void dl_solve_left(int threads, const double *L, int64_t size, double *B, int64_t cols) {
    solve s = {L, size, cols, B};
    dl_parallel(threads, dl_tiles(cols, PANEL), solve_left_panel, &s);
}

void dl_solve_right(int threads, const double *L, int64_t size, double *B, int64_t rows) {
    solve s = {L, size, rows, B};
    dl_parallel(threads, dl_tiles(rows, PANEL), solve_right_panel, &s);
}

/* What dsyevd asks for: so many doubles, and behind them so many integers. */
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
    return size <= DL_MOST_EIGENVECTORS &&
           LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', count, A, count, values, scratch, (int)doubles,
                               (lapack_int *)(scratch + doubles), (int)eigenvector_integers(size)) == 0;
}

int64_t dl_polar_scratch(int64_t size) {
    return 6 * size * size + 12 * size; /* U, V^T, values; work and (as doubles) integer work of dgesdd */
}

/* Column order everywhere: the polar factor of the transpose is the transpose of the polar factor. */
bool dl_polar(double *A, int64_t size, double *scratch) {
    int count = (int)size;
    double *U = scratch, *Vt = U + size * size, *values = Vt + size * size, *work = values + size;
    int lengths = 4 * count * count + 7 * count;
    lapack_int *integers = (lapack_int *)(void *)(work + lengths);
    if (LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', count, count, A, count, values, U, count, Vt, count, work,
                            lengths, integers) != 0)
        return false;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, count, count, count, 1, U, count, Vt, count, 0, A,
                count);
    return true;
}

/* Lanczos: the largest eigenvalue of A in the Krylov space of a random start, with full reorthogonalisation.
 */
double dl_largest_eigenvalue(const double *A, int64_t size, double *scratch) {
    int count = (int)size, steps = count < DL_LANCZOS_STEPS ? count : DL_LANCZOS_STEPS, done = 0;
    double diagonal[DL_LANCZOS_STEPS], off[DL_LANCZOS_STEPS];
    double *v = scratch; /* (steps + 1) x size, orthonormal rows */
    for (int64_t i = 0; i < size; i++)
        v[i] = dl_random_normal((dl_random){0, DL_STREAM_EIGENVALUE}, (uint64_t)i);
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
    return diagonal[done - 1];
}

bool dl_symmetric_eigenvalues(double *A, int64_t size, double *values, double *scratch) {
    return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'L', (int)size, A, (int)size, values, scratch,
                              3 * (int)size) == 0;
}
