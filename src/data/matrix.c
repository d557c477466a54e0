/* Matrix views. Samples are read through dl_matrix_row, which handles all element types and strides, and rows
 * that are not in memory. */
#include "data/matrix.h"

#include "base/finite.h"
#include "base/memory.h"
#include "data/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dltf_matrix view(const void *data, dltf_type type, int64_t rows, int64_t cols) {
    return (dltf_matrix){data, type, rows, cols, cols, 1};
}

dltf_matrix dltf_matrix_f32(const float *data, int64_t rows, int64_t cols) {
    return view(data, DLTF_F32, rows, cols);
}

dltf_matrix dltf_matrix_f64(const double *data, int64_t rows, int64_t cols) {
    return view(data, DLTF_F64, rows, cols);
}

dltf_matrix dltf_matrix_u8(const uint8_t *data, int64_t rows, int64_t cols) {
    return view(data, DLTF_U8, rows, cols);
}

dltf_matrix dltf_matrix_sparse(const dltf_csr *entries) {
    return (dltf_matrix){entries, DLTF_SPARSE, entries ? entries->rows : 0, entries ? entries->cols : 0, 0,
                         0};
}

int dl_type_size(dltf_type type) {
    return type == DLTF_F64 ? 8 : type == DLTF_F32 ? 4 : 1;
}

/* Everything that reading a row relies on. */
static dltf_status check_sparse(dltf_matrix matrix, dltf_subject subject) {
    const dltf_csr *entries = matrix.data;
    if (!entries->indptr || !entries->indices || (!entries->values && !entries->doubles))
        return dl_fail_about(DLTF_ARGUMENT, subject, "the sparse matrix has no data");
    if (matrix.row_stride < 0 || matrix.rows > entries->rows - matrix.row_stride)
        return dl_fail_about(DLTF_ARGUMENT, subject, "the sparse matrix has only %lld rows",
                             (long long)entries->rows);
    const int64_t *indptr = entries->indptr + matrix.row_stride;
    for (int64_t i = 0; i < matrix.rows; i++) {
        int64_t begin = indptr[i], end = indptr[i + 1];
        if (begin < 0 || end < begin)
            return dl_fail_about(DLTF_ARGUMENT, subject, "the entries of row %lld are %lld to %lld",
                                 (long long)i, (long long)begin, (long long)end);
        for (int64_t e = begin; e < end; e++)
            if (entries->indices[e] < 0 || entries->indices[e] >= matrix.cols)
                return dl_fail_about(DLTF_ARGUMENT, subject,
                                     "row %lld has an entry in column %ld, but there are %lld columns",
                                     (long long)i, (long)entries->indices[e], (long long)matrix.cols);
    }
    return DLTF_OK;
}

/* Whether every element of a matrix in memory can be addressed. */
static dltf_status check_strides(dltf_matrix matrix, dltf_subject subject) {
    const int64_t most = INT64_MAX / 8; /* elements of 8 bytes */
    int64_t down = 0, right = 0;
    if (dl_multiply(matrix.rows - 1, matrix.row_stride, &down) && down <= most && down >= -most &&
        dl_multiply(matrix.cols - 1, matrix.col_stride, &right) && right <= most && right >= -most &&
        llabs(down) + llabs(right) <= most)
        return DLTF_OK;
    return dl_fail_about(DLTF_ARGUMENT, subject, "strides of %lld and %lld elements are out of range",
                         (long long)matrix.row_stride, (long long)matrix.col_stride);
}

dltf_status dl_matrix_check(dltf_matrix matrix, dltf_subject subject) {
    if (!matrix.data)
        return dl_fail_about(DLTF_ARGUMENT, subject, "the matrix has no data");
    if (matrix.rows < 1 || matrix.cols < 1)
        return dl_fail_about(DLTF_ARGUMENT, subject,
                             "%lld rows and %lld columns: at least one of each is needed",
                             (long long)matrix.rows, (long long)matrix.cols);
    if (matrix.type < DLTF_F32 || matrix.type > DLTF_SPARSE)
        return dl_fail_about(DLTF_ARGUMENT, subject,
                             "unsupported element type %d; expected f32, f64, u8, rows or sparse",
                             (int)matrix.type);
    if (!dl_is_aligned(matrix.data, (size_t)dl_type_size(matrix.type)))
        return dl_fail_about(DLTF_ARGUMENT, subject,
                             "the address of the data is not a multiple of %lld bytes",
                             (long long)dl_type_size(matrix.type));
    if (matrix.cols > INT32_MAX || matrix.rows > INT64_MAX / matrix.cols / 8)
        return dl_fail_about(DLTF_ARGUMENT, subject, "%lld x %lld is too large", (long long)matrix.rows,
                             (long long)matrix.cols);
    if (matrix.type == DLTF_SPARSE)
        return check_sparse(matrix, subject);
    return matrix.type == DLTF_ROWS ? DLTF_OK : check_strides(matrix, subject);
}

/* out[j] = element (row, j), for an element type of the view and a type of the result. A loop of its own for
 * rows without gaps, which compilers vectorise. */
#define READ_ROW(element, result)                                                                            \
    do {                                                                                                     \
        const element *from = (const element *)matrix.data + row * matrix.row_stride;                        \
        if (matrix.col_stride == 1)                                                                          \
            for (int64_t j = 0; j < matrix.cols; j++)                                                        \
                out[j] = (result)from[j];                                                                    \
        else                                                                                                 \
            for (int64_t j = 0; j < matrix.cols; j++)                                                        \
                out[j] = (result)from[j * matrix.col_stride];                                                \
    } while (0)

static inline double value_at(const dltf_csr *entries, int64_t e) {
    return entries->doubles ? entries->doubles[e] : (double)entries->values[e];
}

/* The same for a sparse matrix. */
#define READ_SPARSE_ROW(result)                                                                              \
    do {                                                                                                     \
        const dltf_csr *entries = matrix.data;                                                               \
        const int64_t *indptr = entries->indptr + matrix.row_stride + row;                                   \
        memset(out, 0, (size_t)matrix.cols * sizeof *out);                                                   \
        for (int64_t e = indptr[0]; e < indptr[1]; e++)                                                      \
            out[entries->indices[e]] = (result)((double)out[entries->indices[e]] + value_at(entries, e));    \
    } while (0)

void dl_matrix_row(dltf_matrix matrix, int64_t row, double *out) {
    if (matrix.type == DLTF_ROWS)
        dl_source_row(matrix.data, matrix.row_stride + row, out);
    else if (matrix.type == DLTF_F32)
        READ_ROW(float, double);
    else if (matrix.type == DLTF_F64)
        READ_ROW(double, double);
    else if (matrix.type == DLTF_SPARSE)
        READ_SPARSE_ROW(double);
    else
        READ_ROW(uint8_t, double);
}

dltf_matrix dl_matrix_part(dltf_matrix matrix, int64_t first, int64_t count) {
    dltf_matrix part = matrix;
    part.rows = count;
    if (matrix.type == DLTF_ROWS || matrix.type == DLTF_SPARSE)
        part.row_stride += first;
    else
        part.data = (const char *)matrix.data + first * matrix.row_stride * dl_type_size(matrix.type);
    return part;
}

dltf_status dl_matrix_status(dltf_matrix matrix) {
    return matrix.type == DLTF_ROWS ? dl_source_status(matrix.data) : DLTF_OK;
}

void dl_matrix_expect(dltf_matrix matrix, int64_t first, int64_t count) {
    if (matrix.type == DLTF_ROWS)
        dl_source_expect(matrix.data, matrix.row_stride + first, count);
}

dltf_status dl_matrix_check_memory(dltf_matrix matrix, dltf_subject subject) {
    dltf_status status = dl_matrix_check(matrix, subject);
    if (status == DLTF_OK && matrix.type == DLTF_ROWS)
        status = dl_fail_about(DLTF_ARGUMENT, subject,
                               "rows of a source are not supported here: load them into memory first");
    return status;
}

void dltf_matrix_row(dltf_matrix matrix, int64_t row, float *out) {
    bool dense = matrix.type != DLTF_ROWS && matrix.type != DLTF_SPARSE;
    if (!matrix.data || !out || row < 0 || row >= matrix.rows)
        return;
    if (dense && dl_matrix_check(matrix, DLTF_SUBJECT_DATA) != DLTF_OK)
        return;
    if (matrix.type == DLTF_ROWS)
        dl_source_row_f32(matrix.data, matrix.row_stride + row, out);
    else if (matrix.type == DLTF_F32 && matrix.col_stride == 1)
        memcpy(out, (const float *)matrix.data + row * matrix.row_stride, (size_t)matrix.cols * sizeof *out);
    else if (matrix.type == DLTF_F32)
        READ_ROW(float, float);
    else if (matrix.type == DLTF_F64)
        READ_ROW(double, float);
    else if (matrix.type == DLTF_SPARSE)
        READ_SPARSE_ROW(float);
    else
        READ_ROW(uint8_t, float);
}

dltf_status dl_row_check_finite(const double *row, int64_t cols, int64_t index, dltf_subject subject) {
    if (dl_all_finite64(row, cols))
        return DLTF_OK;
    for (int64_t j = 0; j < cols; j++)
        if (!isfinite(row[j]))
            return dl_fail_about(DLTF_DATA, subject,
                                 "row %lld, column %lld is %s (counting from 0): remove or replace it",
                                 (long long)index, (long long)j, isnan(row[j]) ? "NaN" : "infinite");
    return DLTF_OK;
}

dltf_status dl_row_check_single(const double *row, int64_t cols, int64_t index, dltf_subject subject) {
    dltf_status status = dl_row_check_finite(row, cols, index, subject);
    for (int64_t j = 0; j < cols && status == DLTF_OK; j++)
        if (!isfinite((float)row[j]))
            status =
                dl_fail_about(DLTF_DATA, subject,
                              "row %lld, column %lld is %g (counting from 0), beyond the range of single "
                              "precision: rescale the data",
                              (long long)index, (long long)j, row[j]);
    return status;
}

typedef dltf_status (*row_check)(const double *row, int64_t cols, int64_t index, dltf_subject subject);

static dltf_status check_rows(dltf_matrix matrix, dltf_subject subject, row_check check) {
    if (matrix.type == DLTF_U8)
        return DLTF_OK;
    double *row = DL_NEW(double, matrix.cols);
    if (!row)
        return DLTF_MEMORY;
    dltf_status status = DLTF_OK;
    for (int64_t i = 0; i < matrix.rows && status == DLTF_OK; i++) {
        dl_matrix_row(matrix, i, row);
        status = check(row, matrix.cols, i, subject);
    }
    dl_free(row);
    return status == DLTF_OK ? dl_matrix_status(matrix) : status;
}

dltf_status dl_matrix_check_finite(dltf_matrix matrix, dltf_subject subject) {
    return check_rows(matrix, subject, dl_row_check_finite);
}

dltf_status dl_matrix_check_single(dltf_matrix matrix, dltf_subject subject) {
    return check_rows(matrix, subject, dl_row_check_single);
}

double dl_norm(const double *x, int64_t n) {
    double largest = 0, sum = 0;
    for (int64_t j = 0; j < n; j++)
        largest = fabs(x[j]) > largest ? fabs(x[j]) : largest; /* fmax is a call */
    if (largest == 0)
        return 0;
    for (int64_t j = 0; j < n; j++)
        sum += (x[j] / largest) * (x[j] / largest);
    return largest * sqrt(sum);
}

bool dl_normalise(double *x, int64_t n) {
    double norm = dl_norm(x, n);
    if (norm == 0)
        return false;
    if (isinf(norm)) { /* the entries are finite, but their norm overflows */
        for (int64_t j = 0; j < n; j++)
            x[j] *= 1.0 / (double)n;
        norm = dl_norm(x, n);
    }
    for (int64_t j = 0; j < n; j++)
        x[j] /= norm;
    return true;
}

dltf_status dl_widen(const float *from, int64_t count, double **to) {
    *to = DL_NEW(double, count);
    if (!*to)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < count; i++)
        (*to)[i] = (double)from[i];
    return DLTF_OK;
}

dltf_status dl_matrix_unit_rows(dltf_matrix matrix, dltf_subject subject, double **rows) {
    double *unit = NULL;
    dltf_status status = dl_matrix_check(matrix, subject);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(unit, matrix.rows * matrix.cols);
    for (int64_t i = 0; i < matrix.rows; i++) {
        double *row = unit + i * matrix.cols;
        dl_matrix_row(matrix, i, row);
        DL_TRY(dl_matrix_status(matrix));
        DL_TRY(dl_row_check_finite(row, matrix.cols, i, subject));
        if (!dl_normalise(row, matrix.cols)) {
            status = dl_fail_about(DLTF_DATA, subject, "row %lld is all zero and cannot be scaled to norm 1",
                                   (long long)i);
            goto done;
        }
    }
    *rows = unit;
    unit = NULL;
done:
    dl_free(unit);
    return status;
}
