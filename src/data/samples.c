/* Preprocessing of samples, row by row, so that no preprocessed copy of the data is needed. */
#include "data/samples.h"

#include "base/memory.h"
#include "base/meter.h"
#include "data/matrix.h"

#include <float.h>
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

/* As SAELens does it: n - 1 degrees of freedom, and a small constant instead of a case for constant rows. */
static void layer_norm(double *row, int64_t n) {
    const double epsilon = 1e-5;
    remove_mean(row, n);
    double deviation = n > 1 ? dl_norm(row, n) / sqrt((double)(n - 1)) : 0;
    for (int64_t j = 0; j < n; j++)
        row[j] /= deviation + epsilon;
}

static void multiply(double *row, int64_t n, double factor) {
    for (int64_t j = 0; j < n; j++)
        row[j] *= factor;
}

double dl_samples_factor(const dl_samples *samples) {
    return samples->factor != 0 ? samples->factor : 1;
}

static void preprocess(const dl_samples *samples, double *row) {
    int64_t n = samples->X.cols;
    double factor = dl_samples_factor(samples);
    if (samples->mean)
        for (int64_t j = 0; j < n; j++)
            row[j] -= (double)samples->mean[j];
    if (samples->deviation)
        for (int64_t j = 0; j < n; j++)
            row[j] /= (double)samples->deviation[j];
    if (samples->remove_mean)
        remove_mean(row, n);
    if (samples->unit_norm)
        dl_normalise(row, n);
    if (samples->layer_norm)
        layer_norm(row, n);
    if (factor != 1)
        multiply(row, n, factor);
    if (samples->offset)
        for (int64_t j = 0; j < n; j++)
            row[j] -= (double)samples->offset[j];
}

void dl_samples_preprocess(const dl_samples *samples, double *row, float *out) {
    preprocess(samples, row);
    for (int64_t j = 0; j < samples->X.cols; j++)
        out[j] = (float)(row[j] * samples->scale);
}

void dl_samples_row(const dl_samples *samples, int64_t i, double *row, float *out) {
    dl_matrix_row(samples->X, i, row);
    dl_samples_preprocess(samples, row, out);
}

void dl_samples_shift(const dl_samples *samples, double *shift) {
    int64_t n = samples->X.cols;
    const float *mean = dl_samples_rescaled(samples) ? NULL : samples->mean;
    for (int64_t j = 0; j < n; j++)
        shift[j] = mean ? (double)mean[j] / (samples->deviation ? (double)samples->deviation[j] : 1) : 0;
    if (samples->remove_mean)
        remove_mean(shift, n);
    multiply(shift, n, dl_samples_factor(samples));
    for (int64_t j = 0; j < n && samples->offset; j++)
        shift[j] += (double)samples->offset[j];
}

const float *dl_samples_direct(const dl_samples *samples, int64_t first, int64_t *stride) {
    const dltf_matrix *X = &samples->X;
    bool plain = X->type == DLTF_F32 && X->col_stride == 1 && !samples->mean && !samples->deviation &&
                 !samples->remove_mean && !samples->unit_norm && !samples->layer_norm &&
                 dl_samples_factor(samples) == 1 && !samples->offset && samples->scale == 1;
    if (!plain)
        return NULL;
    *stride = X->row_stride;
    return (const float *)X->data + first * X->row_stride;
}

/* ---- Parts ---- */

int64_t dl_summary_parts(int64_t rows) {
    enum { ROWS = 512, MOST = 1024 };
    int64_t parts = (rows + ROWS - 1) / ROWS;
    return parts < MOST ? parts : MOST;
}

/* Part `part` begins here, and ends where the next one begins. */
static int64_t first_row(int64_t rows, int64_t part) {
    int64_t parts = dl_summary_parts(rows);
    return rows / parts * part + rows % parts * part / parts;
}

static bool go_on(int64_t row) {
    enum { ROWS_PER_POLL = 256 };
    return row % ROWS_PER_POLL != 0 || dl_poll();
}

static dltf_status cancelled(void) {
    return dl_fail(DLTF_CANCELLED, "reading the samples was cancelled");
}

/* ---- The mean ---- */

dltf_status dl_mean_part(const dl_samples *samples, int64_t part, bool squares, double *row, double *sum) {
    dltf_matrix X = samples->X;
    int64_t last = first_row(X.rows, part + 1);
    for (int64_t i = first_row(X.rows, part); i < last; i++) {
        if (!go_on(i))
            return cancelled();
        dl_matrix_row(X, i, row);
        dltf_status status = dl_row_check_finite(row, X.cols, i, DLTF_SUBJECT_DATA);
        if (status != DLTF_OK)
            return status;
        preprocess(samples, row);
        for (int64_t j = 0; j < X.cols; j++)
            /* Divided first: the sum of huge values would overflow. */
            sum[j] += (squares ? row[j] : 1) * (row[j] / (double)X.rows);
    }
    return dl_matrix_status(X);
}

dltf_status dl_mean_finish(const double *sum, int64_t n, float *mean) {
    for (int64_t j = 0; j < n; j++)
        mean[j] = (float)sum[j];
    for (int64_t j = 0; j < n; j++)
        if (!isfinite(mean[j]))
            return dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                                 "the mean of column %lld overflows single precision: rescale the data",
                                 (long long)j);
    return DLTF_OK;
}

/* A deviation below this share of the mean, which is rounded to single precision, is rounding error. */
static const double CONSTANT = 0x1p-20;

dltf_status dl_deviation_finish(const dl_samples *samples, const double *sum, float *deviation) {
    for (int64_t j = 0; j < samples->X.cols; j++) {
        double found = sqrt(sum[j]), rounding = CONSTANT * fabs((double)samples->mean[j]);
        deviation[j] = found > rounding && (float)found >= FLT_MIN ? (float)found : 1;
        if (!isfinite(deviation[j]))
            return dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                                 "the deviation of column %lld overflows single precision: rescale the data",
                                 (long long)j);
    }
    return DLTF_OK;
}

/* The sum of all parts: n doubles, with as many of work space behind them. */
static dltf_status sum_parts(const dl_samples *samples, bool squares, double *sum) {
    dltf_status status = DLTF_OK;
    double *row = NULL;
    int64_t n = samples->X.cols;
    DL_TRY_NEW(row, n);
    for (int64_t part = 0; part < dl_summary_parts(samples->X.rows); part++) {
        double *own = sum + n;
        memset(own, 0, (size_t)n * sizeof *own);
        DL_TRY(dl_mean_part(samples, part, squares, row, own));
        for (int64_t j = 0; j < n; j++)
            sum[j] += own[j];
    }
done:
    dl_free(row);
    return status;
}

dltf_status dl_samples_mean(const dl_samples *samples, float *mean) {
    dltf_status status = DLTF_OK;
    double *sum = NULL;
    DL_TRY_NEW(sum, 2 * samples->X.cols);
    DL_TRY(sum_parts(samples, false, sum));
    status = dl_mean_finish(sum, samples->X.cols, mean);
done:
    dl_free(sum);
    return status;
}

dltf_status dl_samples_deviation(const dl_samples *samples, float *deviation) {
    dltf_status status = DLTF_OK;
    double *sum = NULL;
    DL_TRY_NEW(sum, 2 * samples->X.cols);
    DL_TRY(sum_parts(samples, true, sum));
    status = dl_deviation_finish(samples, sum, deviation);
done:
    dl_free(sum);
    return status;
}

/* ---- Checksums ---- */

static const uint64_t FNV_BASIS = 0xcbf29ce484222325u;

uint64_t dl_checksum_add(uint64_t checksum, uint64_t word) {
    return (checksum ^ word) * 0x100000001b3u;
}

static uint64_t checksum_of_shape(int64_t rows, int64_t cols) {
    return dl_checksum_add(dl_checksum_add(FNV_BASIS, (uint64_t)rows), (uint64_t)cols);
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
    for (int64_t part = 0; part < dl_summary_parts(matrix.rows); part++) {
        uint64_t own = FNV_BASIS;
        for (int64_t i = first_row(matrix.rows, part); i < first_row(matrix.rows, part + 1); i++) {
            dl_matrix_row(matrix, i, row);
            own = add_row(own, row, matrix.cols);
        }
        *checksum = dl_checksum_add(*checksum, own);
    }
    dl_free(row);
    return dl_matrix_status(matrix);
}

/* ---- The summary ---- */

/* Of a sample to learn from: leaves room for encoders whose rows have norms of up to some hundreds. */
static const double LARGEST_NORM = 1e36;

dltf_status dl_summary_part(const dl_samples *samples, int64_t part, double *row, dl_summary *found) {
    int64_t n = samples->X.cols, N = samples->X.rows, last = first_row(N, part + 1);
    *found = (dl_summary){.checksum = FNV_BASIS};
    for (int64_t i = first_row(N, part); i < last; i++) {
        if (!go_on(i))
            return cancelled();
        dl_matrix_row(samples->X, i, row);
        dltf_status status = dl_row_check_finite(row, n, i, DLTF_SUBJECT_DATA);
        if (status != DLTF_OK)
            return status;
        found->checksum = add_row(found->checksum, row, n);
        preprocess(samples, row);
        double norm = dl_norm(row, n);
        if (norm > LARGEST_NORM)
            return dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                                 "row %lld has norm %.3g (counting from 0): its codes may overflow single "
                                 "precision: rescale the data",
                                 (long long)i, norm);
        found->nonzero_rows += norm > 0;
        found->mean_square += norm / (double)N * norm;
    }
    return dl_matrix_status(samples->X);
}

static void add_part(dl_summary *summary, const dl_summary *part) {
    summary->checksum = dl_checksum_add(summary->checksum, part->checksum);
    summary->nonzero_rows += part->nonzero_rows;
    summary->mean_square += part->mean_square;
}

dltf_status dl_summary_check(const dl_samples *samples, const dl_summary *summary) {
    if (summary->nonzero_rows == 0)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA,
                             "all %lld samples are zero%s: there is nothing to learn",
                             (long long)samples->X.rows,
                             samples->mean || samples->offset ? " after the mean is subtracted" : "");
    if (!isfinite(summary->mean_square) || summary->mean_square < 1e-280)
        return dl_fail_about(
            DLTF_NUMERIC, DLTF_SUBJECT_DATA,
            "the squares of the values are out of range for double precision: rescale the data");
    return DLTF_OK;
}

void dl_summary_join(const dl_samples *samples, const dl_summary *parts, dl_summary *summary) {
    *summary = (dl_summary){.checksum = checksum_of_shape(samples->X.rows, samples->X.cols)};
    for (int64_t part = 0; part < dl_summary_parts(samples->X.rows); part++)
        add_part(summary, &parts[part]);
}

dltf_status dl_samples_summarise(const dl_samples *samples, dl_summary *summary) {
    dltf_status status = DLTF_OK;
    double *row = DL_NEW(double, samples->X.cols);
    if (!row)
        return DLTF_MEMORY;
    *summary = (dl_summary){.checksum = checksum_of_shape(samples->X.rows, samples->X.cols)};
    for (int64_t part = 0; part < dl_summary_parts(samples->X.rows); part++) {
        dl_summary found;
        DL_TRY(dl_summary_part(samples, part, row, &found));
        add_part(summary, &found);
    }
    status = dl_summary_check(samples, summary);
done:
    dl_free(row);
    return status;
}
