/* Copies of samples and codes, and distances to them. */
#include "cluster/points.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/meter.h"
#include "comm/comm.h"
#include "data/matrix.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* The samples of this rank, of so many. */
static void divide(int64_t rows, dl_points *points) {
    points->all = rows;
    points->first = dl_comm_first(rows, dl_comm_rank());
    points->N = dl_comm_first(rows, dl_comm_rank() + 1) - points->first;
}

static dltf_status poll(int64_t row) {
    enum { ROWS = 256 };
    return row % ROWS != 0 || dl_poll() ? DLTF_OK : DLTF_CANCELLED;
}

/* ---- Dense rows ---- */

static dltf_status zero_row(int64_t i, dltf_subject subject) {
    return dl_fail_about(DLTF_DATA, subject,
                         "row %lld is all zero (counting from 0): it has no direction for spherical k-means",
                         (long long)i);
}

/* Sets the mean, and the scale that gives the bounding box of the samples a diagonal of 1. */
static dltf_status measure_box(dltf_matrix X, double *row, dl_points *points) {
    dltf_status status = DLTF_OK;
    double *low = NULL, *high = NULL;
    int64_t n = X.cols;
    DL_TRY_NEW(points->mean, n);
    DL_TRY_NEW(low, 2 * n);
    DL_TRY_NEW(high, n);
    for (int64_t j = 0; j < 2 * n; j++)
        low[j] = INFINITY;
    for (int64_t i = points->first; i < points->first + points->N; i++) {
        DL_TRY(poll(i));
        dl_matrix_row(X, i, row);
        DL_TRY(dl_matrix_status(X));
        DL_TRY(dl_row_check_single(row, n, i, DLTF_SUBJECT_DATA)); /* centers are floats */
        for (int64_t j = 0; j < n; j++) {
            points->mean[j] += row[j] / (double)X.rows; /* divided first: sums of huge values overflow */
            low[j] = fmin(low[j], row[j]);
            low[n + j] = fmin(low[n + j], -row[j]);
        }
    }
    dl_comm_sum(points->mean, n);
    dl_comm_least(low, 2 * n);
    DL_TRY(dl_comm_status());
    for (int64_t j = 0; j < n; j++)
        high[j] = -low[n + j] - low[j];
    double diagonal = dl_norm(high, n);
    if (diagonal > 0)
        points->scale = 1 / diagonal;
    if (!isfinite(points->scale))
        status =
            dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                          "distances between samples, of at most %g, underflow: rescale the data", diagonal);
done:
    dl_free(low);
    dl_free(high);
    return status;
}

/* Variance of the rows about their mean, which is 0 unless they are spherical. */
static dltf_status measure_variance(dl_points *points) {
    double squares = 0, mean_square = 0, *sum = DL_NEW(double, points->n), N = (double)points->all;
    if (!sum)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < points->N; i++) {
        dl_points_add(points, i, 1, sum);
        squares += points->rows ? dl_kernels_now()->square(points->rows + i * points->n, points->n)
                                : points->square[i];
    }
    dl_comm_sum(sum, points->n);
    dl_comm_sum(&squares, 1);
    for (int64_t j = 0; j < points->n; j++)
        mean_square += sum[j] / N * sum[j] / N;
    points->variance = fmax(squares / N - mean_square, 0) / (double)points->n;
    dl_free(sum);
    return dl_comm_status();
}

dltf_status dl_points_dense(dltf_matrix X, bool spherical, dl_points *points) {
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    double *row = NULL;
    int64_t n = X.cols;
    *points = (dl_points){.n = n, .scale = 1};
    if (status != DLTF_OK)
        return status;
    divide(X.rows, points);
    DL_TRY_NEW(row, n);
    DL_TRY_NEW(points->rows, points->N * n);
    if (!spherical)
        DL_TRY(measure_box(X, row, points));
    for (int64_t i = 0; i < points->N; i++) {
        DL_TRY(poll(i));
        dl_matrix_row(X, points->first + i, row);
        DL_TRY(dl_matrix_status(X));
        DL_TRY(dl_points_place(points, row, spherical, points->first + i, DLTF_SUBJECT_DATA,
                               points->rows + i * n));
    }
    DL_TRY(measure_variance(points));
done:
    dl_free(row);
    return status;
}

/* ---- Sparse codes ---- */

static double row_norm(dltf_csr Z, int64_t i) {
    double sum = 0;
    for (int64_t e = Z.indptr[i]; e < Z.indptr[i + 1]; e++)
        sum += (double)Z.values[e] * (double)Z.values[e];
    return sqrt(sum);
}

dltf_status dl_points_sparse(const dltf_codes *codes, bool spherical, dl_points *points) {
    dltf_status status = DLTF_OK;
    dltf_csr Z = dltf_codes_csr(codes);
    double longest = 0; /* minus the largest norm */
    *points = (dl_points){.n = Z.cols, .indices = Z.indices, .scale = 1};
    if (Z.rows < 1)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_CODES, "no samples");
    divide(Z.rows, points);
    Z.indptr += points->first;
    points->indptr = Z.indptr;
    DL_TRY_NEW(points->values, Z.indptr[points->N]);
    DL_TRY_NEW(points->square, points->N);
    for (int64_t i = 0; i < points->N; i++)
        longest = fmin(longest, -row_norm(Z, i));
    dl_comm_least(&longest, 1);
    if (!spherical && longest < 0)
        points->scale = -1 / longest;
    for (int64_t i = 0; i < points->N; i++) {
        DL_TRY(poll(i));
        double norm = row_norm(Z, i), scale = points->scale;
        if (spherical && norm == 0)
            DL_TRY(zero_row(points->first + i, DLTF_SUBJECT_CODES));
        if (spherical)
            scale = 1 / norm;
        for (int64_t e = Z.indptr[i]; e < Z.indptr[i + 1]; e++) {
            points->values[e] = (float)((double)Z.values[e] * scale);
            points->square[i] += (double)points->values[e] * (double)points->values[e];
        }
    }
    DL_TRY(measure_variance(points));
done:
    return status;
}

void dl_points_free(dl_points *points) {
    dl_free(points->rows);
    dl_free(points->values);
    dl_free(points->square);
    dl_free(points->mean);
    *points = (dl_points){0};
}

/* ---- Both ---- */

dltf_status dl_centers_check(dltf_matrix centers, dltf_matrix X) {
    dltf_status status = dl_matrix_check(centers, DLTF_SUBJECT_CENTERS);
    if (status == DLTF_OK)
        status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK && centers.cols != X.cols)
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "%lld columns, but the centers have %lld",
                               (long long)X.cols, (long long)centers.cols);
    return status;
}

dltf_status dl_points_place(const dl_points *points, double *row, bool spherical, int64_t index,
                            dltf_subject subject, float *out) {
    int64_t n = points->n;
    dltf_status status = spherical ? dl_row_check_finite(row, n, index, subject)
                                   : dl_row_check_single(row, n, index, subject); /* centers are floats */
    if (status != DLTF_OK)
        return status;
    if (spherical && !dl_normalise(row, n))
        return zero_row(index, subject);
    for (int64_t j = 0; j < n; j++)
        out[j] = (float)((row[j] - (points->mean ? points->mean[j] : 0)) * points->scale);
    if (!dl_all_finite(out, n))
        return dl_fail_about(DLTF_NUMERIC, subject,
                             "row %lld (counting from 0) is too far from the others for single precision",
                             (long long)index);
    return DLTF_OK;
}

void dl_points_distances(const dl_points *points, int64_t i, const float *Y, const double *square,
                         const int32_t *index, int64_t count, float *out) {
    int64_t n = points->n;
    if (points->rows) {
        dl_kernels_now()->distances(points->rows + i * n, Y, n, index, count, out);
        for (int64_t e = 0; e < count; e++)
            out[e] = sqrtf(out[e]);
        return;
    }
    for (int64_t e = 0; e < count; e++) {
        const float *y = Y + index[e] * n;
        double product = 0;
        for (int64_t f = points->indptr[i]; f < points->indptr[i + 1]; f++)
            product += (double)points->values[f] * (double)y[points->indices[f]];
        out[e] = (float)sqrt(fmax(points->square[i] - 2 * product + square[index[e]], 0));
    }
}

double dl_points_square(const dl_points *points, int64_t i, const float *y) {
    double sum = 0;
    int64_t e = points->rows ? 0 : points->indptr[i];
    for (int64_t j = 0; j < points->n; j++) {
        double x = 0;
        if (points->rows)
            x = (double)points->rows[i * points->n + j];
        else if (e < points->indptr[i + 1] && points->indices[e] == j)
            x = (double)points->values[e++];
        sum += (x - (double)y[j]) * (x - (double)y[j]);
    }
    return sum;
}

void dl_points_add(const dl_points *points, int64_t i, float factor, double *sum) {
    if (points->rows) {
        dl_kernels_now()->add_scaled(sum, factor, points->rows + i * points->n, points->n);
        return;
    }
    for (int64_t e = points->indptr[i]; e < points->indptr[i + 1]; e++)
        sum[points->indices[e]] += (double)factor * (double)points->values[e];
}

void dl_points_copy(const dl_points *points, int64_t i, float *out) {
    if (points->rows) {
        memcpy(out, points->rows + i * points->n, (size_t)points->n * sizeof *out);
        return;
    }
    memset(out, 0, (size_t)points->n * sizeof *out);
    for (int64_t e = points->indptr[i]; e < points->indptr[i + 1]; e++)
        out[points->indices[e]] = points->values[e];
}

void dl_points_restore(const dl_points *points, const float *y, float *out) {
    for (int64_t j = 0; j < points->n; j++)
        out[j] = (float)((double)y[j] / points->scale + (points->mean ? points->mean[j] : 0));
}
