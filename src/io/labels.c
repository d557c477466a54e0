/* Labels and other integers in files. */
#include "base/memory.h"
#include "data/matrix.h"
#include "io/files/bytes.h"
#include "io/formats.h"
#include "io/formats/integers.h"
#include "io/formats/npy.h"

#include <inttypes.h>
#include <math.h>

struct dltf_labels {
    int64_t count;
    int64_t *values;
};

static dltf_status convert(dltf_matrix matrix, dltf_labels *labels) {
    const double exact = 9007199254740992.0; /* 2^53 */
    double *row = DL_NEW(double, matrix.cols);
    if (!row)
        return DLTF_MEMORY;
    dltf_status status = DLTF_OK;
    for (int64_t i = 0; i < labels->count && status == DLTF_OK; i++) {
        int64_t col = i % matrix.cols;
        if (col == 0)
            dl_matrix_row(matrix, i / matrix.cols, row);
        if (!(fabs(row[col]) <= exact) || row[col] != floor(row[col]))
            status = dl_fail(DLTF_FORMAT, "label %" PRId64 " is %.9g (counting from 0): expected an integer",
                             i, row[col]);
        else
            labels->values[i] = (int64_t)row[col];
    }
    dl_free(row);
    return status;
}

static dltf_status make(dltf_matrix matrix, dltf_labels **labels) {
    dltf_status status = DLTF_OK;
    dltf_labels *made = NULL;
    if (matrix.type == DLTF_SPARSE)
        return dl_fail(DLTF_FORMAT, "is a sparse matrix: expected one label per sample");
    if (matrix.rows != 1 && matrix.cols != 1)
        return dl_fail(DLTF_FORMAT, "%" PRId64 " rows of %" PRId64 " numbers: expected one label per sample",
                       matrix.rows, matrix.cols);
    DL_TRY_NEW(made, 1);
    made->count = matrix.rows * matrix.cols;
    DL_TRY_NEW(made->values, made->count);
    DL_TRY(convert(matrix, made));
    *labels = made;
    made = NULL;
done:
    dltf_labels_free(made);
    return status;
}

/* The labels of a file of samples, or a file of nothing else. */
static dltf_status load(const char *path, dltf_array **array) {
    const dl_format *format = dl_format_of_path(DL_CONTENT_MATRIX, NULL, path);
    dl_file file;
    if (!format || !format->load_labels)
        return dltf_array_load(path, array);
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = format->load_labels(&file, array);
        dl_file_close(&file);
    }
    return dl_file_result(status, path);
}

dltf_status dltf_labels_load(const char *path, dltf_labels **labels) {
    DL_CLEAR(labels);
    DL_REQUIRE(path, labels);
    dltf_array *array = NULL;
    dltf_status status = load(path, &array);
    if (status == DLTF_OK)
        status = dl_file_result(make(dltf_array_matrix(array), labels), path);
    dltf_array_free(array);
    return status;
}

const int64_t *dltf_labels_get(const dltf_labels *labels, int64_t *count) {
    if (count)
        *count = labels ? labels->count : 0;
    return labels ? labels->values : NULL;
}

void dltf_labels_free(dltf_labels *labels) {
    if (!labels)
        return;
    dl_free(labels->values);
    dl_free(labels);
}

static dltf_status check(const dl_integers *integers) {
    int64_t rows = integers->rows, cols = integers->cols;
    if (rows >= 1 && cols >= 1 && rows <= INT64_MAX / (int64_t)sizeof *integers->values / cols)
        return DLTF_OK;
    return dl_fail(DLTF_ARGUMENT, "%lld x %lld integers: out of range", (long long)rows, (long long)cols);
}

dltf_status dl_integers_save(const dl_integers *integers, const char *path) {
    dltf_status status = check(integers);
    dl_writer out = {0};
    const dl_format *format = dl_format_of_path(DL_CONTENT_INTEGERS, NULL, path);
    DL_TRY(status);
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(format ? format->write_integers(integers, &out) : dl_npy_write_integers(integers, &out));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    return dl_file_result(status, path);
}

dltf_status dltf_labels_save(const int64_t *labels, int64_t count, const char *path) {
    DL_REQUIRE(labels, path);
    return dl_integers_save(&(dl_integers){labels, count, 1, true}, path);
}
