/* Preprocessing of samples, row by row, so that no preprocessed copy of the data is needed. */
#include "data/samples.h"

#include "base/memory.h"
#include "data/matrix.h"

#include <math.h>
#include <string.h>

/* Divided first: the sum of huge values would overflow. A constant row becomes exactly zero. */
static void remove_mean(double *row, int64_t n) {
    double rest = 0;
    for (int64_t j = 1; j < n; j++)
        rest += (row[j] - row[0]) / (double)n;
    for (int64_t j = n - 1; j >= 0; j--)
        row[j] = (row[j] - row[0]) - rest;
}

static void preprocess(const dl_samples *samples, double *row) {
    int64_t n = samples->X.cols;
    if (samples->mean)
        for (int64_t j = 0; j < n; j++)
            row[j] -= (double)samples->mean[j];
    if (samples->remove_mean)
        remove_mean(row, n);
    if (samples->unit_norm)
        dl_normalise(row, n);
}

void dl_samples_row(const dl_samples *samples, int64_t i, double *row, float *out) {
    dl_matrix_row(samples->X, i, row);
    preprocess(samples, row);
    for (int64_t j = 0; j < samples->X.cols; j++)
        out[j] = (float)(row[j] * samples->scale);
}

const float *dl_samples_direct(const dl_samples *samples, int64_t first, int64_t *stride) {
    const dltf_matrix *X = &samples->X;
    bool plain = X->type == DLTF_F32 && X->col_stride == 1 && !samples->mean && !samples->remove_mean &&
                 !samples->unit_norm && samples->scale == 1;
    if (!plain)
        return NULL;
    *stride = X->row_stride;
    return (const float *)X->data + first * X->row_stride;
}

dltf_status dl_samples_mean(dltf_matrix X, float *mean) {
    dltf_status status = DLTF_OK;
    double *sum = NULL, *row = NULL;
    DL_TRY_NEW(sum, X.cols);
    DL_TRY_NEW(row, X.cols);
    for (int64_t i = 0; i < X.rows; i++) {
        dl_matrix_row(X, i, row);
        DL_TRY(dl_row_check_finite(row, X.cols, i, DLTF_SUBJECT_DATA));
        for (int64_t j = 0; j < X.cols; j++)
            sum[j] += row[j] / (double)X.rows; /* divided first: the sum of huge values would overflow */
    }
    DL_TRY(dl_matrix_status(X));
    for (int64_t j = 0; j < X.cols; j++)
        mean[j] = (float)sum[j];
    for (int64_t j = 0; j < X.cols; j++)
        if (!isfinite(mean[j])) {
            status = dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                                   "the mean of column %lld overflows single precision: rescale the data",
                                   (long long)j);
            break;
        }
done:
    dl_free(sum);
    dl_free(row);
    return status;
}

uint64_t dl_checksum_add(uint64_t checksum, uint64_t word) {
    return (checksum ^ word) * 0x100000001b3u;
}

static uint64_t checksum_of_shape(int64_t rows, int64_t cols) {
    return dl_checksum_add(dl_checksum_add(0xcbf29ce484222325u, (uint64_t)rows), (uint64_t)cols);
}

static uint64_t add_row(uint64_t hash, const double *row, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        uint64_t word;
        memcpy(&word, &row[j], sizeof word);
        hash = dl_checksum_add(hash, word ^ word >> 32);
    }
    return hash;
}

dltf_status dl_matrix_checksum(dltf_matrix matrix, uint64_t *checksum) {
    double *row = DL_NEW(double, matrix.cols);
    if (!row)
        return DLTF_MEMORY;
    *checksum = checksum_of_shape(matrix.rows, matrix.cols);
    for (int64_t i = 0; i < matrix.rows; i++) {
        dl_matrix_row(matrix, i, row);
        *checksum = add_row(*checksum, row, matrix.cols);
    }
    dl_free(row);
    return dl_matrix_status(matrix);
}

dltf_status dl_samples_scan(const dl_samples *samples, dl_scan *scan) {
    int64_t n = samples->X.cols, N = samples->X.rows;
    double *row = DL_NEW(double, n);
    if (!row)
        return DLTF_MEMORY;
    dltf_status status = DLTF_OK;
    double sum = 0;
    *scan = (dl_scan){.checksum = checksum_of_shape(N, n)};
    for (int64_t i = 0; i < N; i++) {
        dl_matrix_row(samples->X, i, row);
        DL_TRY(dl_row_check_finite(row, n, i, DLTF_SUBJECT_DATA));
        scan->checksum = add_row(scan->checksum, row, n);
        preprocess(samples, row);
        double norm = dl_norm(row, n);
        scan->nonzero_rows += norm > 0;
        sum += norm / (double)N * norm;
    }
    DL_TRY(dl_matrix_status(samples->X));
    if (scan->nonzero_rows == 0)
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA,
                               "all %lld samples are zero%s: there is nothing to learn", (long long)N,
                               samples->mean ? " after the mean is subtracted" : "");
    else if (!isfinite(sum) || sum < 1e-280)
        status = dl_fail_about(
            DLTF_NUMERIC, DLTF_SUBJECT_DATA,
            "the squares of the values are out of range for double precision: rescale the data");
    scan->mean_square = sum;
done:
    dl_free(row);
    return status;
}
