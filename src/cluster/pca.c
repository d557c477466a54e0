/* dltf_pca_train and dltf_pca_apply. The components are eigenvectors of the covariance X^T X (n x n, X
 * centered), or, if there are fewer samples than columns, X^T u / s for the eigenvectors u of X X^T (N x N),
 * s^2 their eigenvalues. */
#include "base/finite.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/options.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "data/samples.h"
#include "dltf/cluster.h"
#include "kernels/packed.h"
#include "linalg/blas.h"

#include <math.h>

enum { BLOCK = 1024 }; /* rows of a product */

/* Eigenvalues below this share of the largest are rounding errors. */
static const double NEGLIGIBLE = 1e-13;

typedef struct fit {
    dltf_matrix X;
    int64_t size, d; /* of the eigenvalue problem; wanted components */
    int threads;
    float *mean, *components;
    double *rows;   /* centered: BLOCK x n, or all if there are few */
    double *A;      /* size x size, then its eigenvectors */
    double *values; /* size, ascending */
    double *variances, total;
} fit;

static dltf_status cancelled(void) {
    return dl_fail(DLTF_CANCELLED, "the principal components were cancelled");
}

static void read_rows(const fit *f, int64_t first, int64_t count) {
    int64_t n = f->X.cols;
    for (int64_t i = 0; i < count; i++) {
        double *row = f->rows + i * n;
        dl_matrix_row(f->X, first + i, row);
        for (int64_t j = 0; j < n; j++)
            row[j] -= (double)f->mean[j];
    }
}

static bool make_covariance(const fit *f) {
    for (int64_t first = 0; first < f->X.rows; first += BLOCK) {
        int64_t count = dl_min(BLOCK, f->X.rows - first);
        if (!dl_poll())
            return false;
        read_rows(f, first, count);
        dl_gemm(f->threads, DL_TRANSPOSED, DL_PLAIN, f->size, f->size, count, 1, f->rows, f->rows, 1, f->A);
    }
    return true;
}

static void make_gram(const fit *f) {
    read_rows(f, 0, f->X.rows);
    dl_gemm(f->threads, DL_PLAIN, DL_TRANSPOSED, f->size, f->size, f->X.cols, 1, f->rows, f->rows, 0, f->A);
}

/* The component of eigenvector `v` as n doubles. */
static void component(const fit *f, const double *v, double value, double *out) {
    int64_t n = f->X.cols;
    if (f->size == n) {
        for (int64_t j = 0; j < n; j++)
            out[j] = v[j];
        return;
    }
    for (int64_t j = 0; j < n; j++)
        out[j] = 0;
    if (value <= NEGLIGIBLE * f->values[f->size - 1])
        return;
    for (int64_t i = 0; i < f->size; i++)
        for (int64_t j = 0; j < n; j++)
            out[j] += v[i] / sqrt(value) * f->rows[i * n + j];
}

/* Its entry with the largest magnitude becomes positive. */
static void store(const double *v, int64_t n, float *out) {
    int64_t largest = 0;
    for (int64_t j = 1; j < n; j++)
        if (fabs(v[j]) > fabs(v[largest]) * (1 + 1e-9)) /* of equals up to rounding, the first */
            largest = j;
    for (int64_t j = 0; j < n; j++)
        out[j] = (float)(v[largest] < 0 ? -v[j] : v[j]);
}

static void take_components(fit *f, double *room) {
    int64_t n = f->X.cols;
    double divisor = (double)dl_max(f->X.rows - 1, 1);
    for (int64_t i = 0; i < f->size; i++)
        f->total += fmax(f->values[i], 0) / divisor;
    for (int64_t i = 0; i < f->d; i++) {
        int64_t from = f->size - 1 - i;
        double value = fmax(f->values[from], 0);
        component(f, f->A + from * f->size, value, room);
        store(room, n, f->components + i * n);
        f->variances[i] = value / divisor;
    }
}

static dltf_status solve(fit *f) {
    dltf_status status = DLTF_OK;
    double *scratch = NULL;
    int64_t n = f->X.cols;
    bool wide = f->size < n;
    DL_TRY_NEW(f->rows, (wide ? f->X.rows : BLOCK) * n);
    DL_TRY_NEW(f->A, f->size * f->size);
    DL_TRY_NEW(f->values, f->size);
    DL_TRY_NEW(scratch, dl_eigenvectors_scratch(f->size) + n);
    if (wide)
        make_gram(f);
    else if (!make_covariance(f))
        DL_TRY(cancelled());
    if (!dl_eigenvectors(f->A, f->size, f->values, scratch))
        DL_TRY(dl_fail(DLTF_NUMERIC, "pca: the eigenvalue iteration did not converge"));
    take_components(f, scratch);
done:
    dl_free(scratch);
    return status;
}

static dltf_status check(dltf_matrix X, int64_t d) {
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    int64_t most = dl_min(X.rows, X.cols);
    if (d < 1 || d > most)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "%lld samples of %lld entries have at most %lld principal components, not %lld",
                             (long long)X.rows, (long long)X.cols, (long long)most, (long long)d);
    if (most > DL_MOST_EIGENVECTORS)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "too large for principal components: rows or columns must not exceed %d",
                             (int)DL_MOST_EIGENVECTORS);
    return DLTF_OK;
}

dltf_status dltf_pca_train(dltf_matrix X, int64_t d, int64_t threads, dltf_pca **pca) {
    DL_CLEAR(pca);
    DL_REQUIRE(pca);
    DL_REQUIRE_THREADS(threads);
    fit f = {.X = X, .d = d, .threads = dl_thread_count(threads)};
    dltf_status status = check(X, d);
    if (status != DLTF_OK)
        return status;
    f.size = dl_min(X.rows, X.cols);
    DL_TRY(dl_blas_ready(f.threads));
    DL_TRY_NEW(f.mean, X.cols);
    DL_TRY_NEW(f.components, d * X.cols);
    DL_TRY_NEW(f.variances, d);
    DL_TRY(dl_samples_mean(&(dl_samples){.X = X}, f.mean));
    DL_TRY(solve(&f));
    DL_TRY(dl_matrix_status(X));
    dltf_pca_view parts = {X.cols, d, f.mean, f.components, f.variances, f.total};
    status = dltf_pca_new(&parts, pca);
done:
    dl_free(f.mean);
    dl_free(f.components);
    dl_free(f.variances);
    dl_free(f.rows);
    dl_free(f.A);
    dl_free(f.values);
    return status;
}

/* ---- Projection ---- */

typedef struct projection {
    dl_samples samples;
    dl_packed components;
    double *row; /* n per thread */
    float *tile; /* DL_TILE x n per thread */
    float *out;
} projection;

static void project_tile(void *context, int64_t tile, int worker) {
    projection *p = context;
    int64_t n = p->samples.X.cols, first = tile * DL_TILE, count = dl_min(DL_TILE, p->samples.X.rows - first);
    float *rows = p->tile + worker * DL_TILE * n;
    for (int64_t i = 0; i < count; i++)
        dl_samples_row(&p->samples, first + i, p->row + worker * n, rows + i * n);
    dl_kernels_now()->scores(&p->components, 0, p->components.panels, rows, n, count,
                             p->out + first * p->components.m, p->components.m);
}

dltf_status dltf_pca_apply(const dltf_pca *pca, dltf_matrix X, int64_t threads, float *out) {
    DL_REQUIRE(pca, out);
    DL_REQUIRE_THREADS(threads);
    dltf_pca_view v = dltf_pca_get(pca);
    projection p = {.samples = {.X = X, .mean = v.mean, .scale = 1}, .out = out};
    int count = dl_thread_count(threads);
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK && X.cols != v.n)
        status = dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                               "%lld columns, but the principal components have %lld", (long long)X.cols,
                               (long long)v.n);
    if (status == DLTF_OK)
        status = dl_matrix_check_finite(X, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_packed_alloc(&p.components, v.d, v.n));
    dl_packed_fill(&p.components, v.components, NULL);
    DL_TRY_NEW(p.row, count * v.n);
    DL_TRY_NEW(p.tile, count * DL_TILE * v.n);
    if (!dl_parallel_polled(count, dl_tiles(X.rows, DL_TILE), project_tile, &p))
        DL_TRY(cancelled());
    DL_TRY(dl_matrix_status(X));
    if (!dl_all_finite(out, X.rows * v.d))
        status = dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                               "principal components overflow single precision: rescale the data");
done:
    dl_packed_free(&p.components);
    dl_free(p.row);
    dl_free(p.tile);
    return status;
}
