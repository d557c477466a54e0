/* Products and solves in f64, split into panels that our own threads compute. */
#include "linalg/blas.h"

#include "base/parallel.h"
#include "linalg/blas_threads.h"

#include <cblas.h>
#include <lapacke.h>

/* Rows or columns per task; fixed, so that results do not depend on the number of threads. */
enum { PANEL = 64 };

/* Runs the panels of `total` rows or columns, with BLAS on one thread in each. */
static void run_panels(int threads, int64_t total, dl_task run, void *context) {
    dl_blas_begin();
    dl_parallel(threads, dl_tiles(total, PANEL), run, context);
    dl_blas_end();
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
    dl_blas_enter();
    cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans,
                p->tb == DL_TRANSPOSED ? CblasTrans : CblasNoTrans, (int)count, (int)p->cols, (int)p->inner,
                p->alpha, A, (int)(transposed ? p->rows : p->inner), p->B,
                (int)(p->tb == DL_TRANSPOSED ? p->inner : p->cols), p->beta, p->C + first * p->cols,
                (int)p->cols);
    dl_blas_leave();
}

void dl_gemm(int threads, dl_transpose ta, dl_transpose tb, int64_t rows, int64_t cols, int64_t inner,
             double alpha, const double *A, const double *B, double beta, double *C) {
    product p = {ta, tb, rows, cols, inner, alpha, beta, A, B, C};
    run_panels(threads, rows, product_panel, &p);
}

/* Copies one triangle to the other. */
static void mirror(double *A, int64_t size, bool lower) {
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < i; j++)
            if (lower)
                A[j * size + i] = A[i * size + j];
            else
                A[i * size + j] = A[j * size + i];
}

/* In LAPACK's order, and mirrored before and after: LAPACKE would allocate memory for a transposed copy. */
bool dl_cholesky(double *A, int64_t size) {
    mirror(A, size, true);
    dl_blas_enter();
    lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)size, A, (int)size);
    dl_blas_leave();
    mirror(A, size, false);
    return info == 0;
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
    dl_blas_enter();
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, size, count, 1, s->L, size,
                B, stride);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, size, count, 1, s->L, size, B,
                stride);
    dl_blas_leave();
}

static void solve_right_panel(void *context, int64_t panel, int worker) {
    (void)worker;
    const solve *s = context;
    int count = (int)panel_size(s->other, panel), size = (int)s->size;
    double *B = s->B + panel * PANEL * s->size;
    dl_blas_enter();
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, count, size, 1, s->L, size,
                B, size);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, count, size, 1, s->L, size,
                B, size);
    dl_blas_leave();
}

void dl_solve_left(int threads, const double *L, int64_t size, double *B, int64_t cols) {
    solve s = {L, size, cols, B};
    run_panels(threads, cols, solve_left_panel, &s);
}

void dl_solve_right(int threads, const double *L, int64_t size, double *B, int64_t rows) {
    solve s = {L, size, rows, B};
    run_panels(threads, rows, solve_right_panel, &s);
}
