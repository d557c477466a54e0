/* The dual encoder: the scores that a least-squares reconstruction would give, at the cost of the same
 * product. */
#include "coding/dual.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/feature.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Relative to the mean eigenvalue of a product of m atoms. */
static double smallest_ridge(int64_t m, int64_t size) {
    return 1e-12 * (double)m / (double)size;
}

static bool factorise_with(const double *B, int64_t size, double ridge, double *factor) {
    if (B != factor)
        memcpy(factor, B, (size_t)(size * size) * sizeof *factor);
    for (int64_t i = 0; i < size; i++)
        factor[i * size + i] += ridge;
    return dl_cholesky(factor, size);
}

/* Cholesky factor of B + r I, B the smaller of W W^T and the Gram matrix; r grows until the sum is positive
 * definite despite rounding. */
static void factorise(int threads, const double *W, int64_t m, int64_t n, double r, double *factor) {
    bool wide = m > n; /* n x n: W W^T in the paper's letters; otherwise the m x m Gram matrix */
    int64_t size = wide ? n : m;
    for (double ridge = fmax(r, smallest_ridge(m, size)); isfinite(ridge); ridge *= 10) {
        if (wide)
            dl_gemm(threads, DL_TRANSPOSED, DL_PLAIN, n, n, m, 1, W, W, 0, factor);
        else
            dl_gemm(threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, W, W, 0, factor);
        if (factorise_with(factor, size, ridge, factor))
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

/* ---- Large dictionaries ---- */

int64_t dl_dual_atoms(int64_t m, int64_t n) {
    return dl_min(m, 4 * n);
}

/* The panels of the product are those of the whole: the same bytes for any division. */
dltf_status dl_dual_product(int threads, const double *W, int64_t m, int64_t n, int64_t first, int64_t rows,
                            double *B) {
    int64_t atoms = dl_dual_atoms(m, n);
    double *columns = DL_NEW(double, atoms *rows);
    if (!columns)
        return DLTF_MEMORY;
    for (int64_t j = 0; j < atoms; j++)
        memcpy(columns + j * rows, W + j * n + first, (size_t)rows * sizeof *columns);
    dl_gemm(threads, DL_TRANSPOSED, DL_PLAIN, rows, n, atoms, 1, columns, W, 0, B + first * n);
    dl_free(columns);
    return DLTF_OK;
}

/* (B + r I)^{-1}, with B scaled to all m atoms. */
dltf_status dl_dual_invert(int threads, const double *B, int64_t m, int64_t n, double r, double *inverse) {
    dltf_status status = DLTF_OK;
    int64_t atoms = dl_dual_atoms(m, n);
    double *factor = NULL, share = (double)atoms / (double)m;
    double ridge = fmax(share * r, smallest_ridge(atoms, n));
    DL_TRY_NEW(factor, n * n);
    while (isfinite(ridge) && !factorise_with(B, n, ridge, factor))
        ridge *= 10;
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int64_t i = 0; i < n; i++)
        inverse[i * n + i] = share;
    dl_solve_left(threads, factor, n, inverse, n);
done:
    dl_free(factor);
    return status;
}

typedef struct product {
    const dl_packed *inverse;
    const float *W;
    int64_t m, n;
    float *E;
} product;

static void multiply_tile(void *context, int64_t tile, int worker) {
    (void)worker;
    const product *p = context;
    const dl_kernels *kernels = dl_kernels_now();
    int64_t n = p->n, first = tile * DL_TILE, last = dl_min(first + DL_TILE, p->m);
    dl_score_tile(p->inverse, p->W + first * n, n, last - first, p->E + first * n);
    for (int64_t j = first; j < last; j++) {
        float *e = p->E + j * n, along = kernels->dot32(e, p->W + j * n, n);
        if (along > 0)
            kernels->combine32(e, 1 / along, 0, e, n);
    }
}

dltf_status dl_dual_encoder32(int threads, const double *inverse, const float *W, int64_t rows, int64_t n,
                              float *E) {
    dltf_status status = DLTF_OK;
    dl_packed packed = {0};
    DL_TRY(dl_packed_alloc(&packed, n, n));
    dl_packed_fill_f64(&packed, inverse);
    product p = {&packed, W, rows, n, E};
    dl_parallel(threads, dl_tiles(rows, DL_TILE), multiply_tile, &p);
done:
    dl_packed_free(&packed);
    return status;
}
