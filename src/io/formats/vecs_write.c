/* Writing .fvecs, .bvecs and .ivecs. */
#include "base/memory.h"
#include "data/matrix.h"
#include "io/files/bytes.h"
#include "io/formats/vecs.h"

#include <inttypes.h>
#include <math.h>

enum { DIMENSION = 4, ITEM = 4 }; /* bytes of a dimension, a float and an integer */

/* Room for one row, which begins with its dimension. */
static dltf_status new_row(int64_t cols, int64_t item, uint8_t **row) {
    if (cols > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "%" PRId64 " columns are too many for this format", cols);
    *row = dl_alloc(DIMENSION + cols * item, 1);
    if (!*row)
        return DLTF_MEMORY;
    dl_put_little(*row, (uint64_t)cols, DIMENSION);
    return DLTF_OK;
}

static dltf_status put_float(double value, int64_t row, int64_t col, uint8_t *at) {
    float narrow = (float)value;
    uint32_t bits;
    if (isinf(narrow) && !isinf(value))
        return dl_fail(DLTF_DATA,
                       "row %" PRId64 ", column %" PRId64 " is %g: .fvecs has single precision; write .npy",
                       row, col, value);
    memcpy(&bits, &narrow, sizeof bits);
    dl_put_little(at, bits, ITEM);
    return DLTF_OK;
}

dltf_status dl_fvecs_write(dltf_matrix matrix, dl_writer *out) {
    uint8_t *row = NULL;
    double *values = NULL;
    dltf_status status = new_row(matrix.cols, ITEM, &row);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(values, matrix.cols);
    for (int64_t i = 0; i < matrix.rows; i++) {
        dl_matrix_row(matrix, i, values);
        for (int64_t j = 0; j < matrix.cols; j++)
            DL_TRY(put_float(values[j], i, j, row + DIMENSION + ITEM * j));
        DL_TRY(dl_writer_write(out, row, DIMENSION + ITEM * matrix.cols));
    }
done:
    dl_free(row);
    dl_free(values);
    return status;
}

dltf_status dl_bvecs_write(dltf_matrix matrix, dl_writer *out) {
    uint8_t *row = NULL;
    dltf_status status = new_row(matrix.cols, 1, &row);
    for (int64_t i = 0; i < matrix.rows && status == DLTF_OK; i++) {
        const uint8_t *from = (const uint8_t *)matrix.data + i * matrix.row_stride;
        for (int64_t j = 0; j < matrix.cols; j++)
            row[DIMENSION + j] = from[j * matrix.col_stride];
        status = dl_writer_write(out, row, DIMENSION + matrix.cols);
    }
    dl_free(row);
    return status;
}

dltf_status dl_ivecs_write(const dl_integers *integers, dl_writer *out) {
    int64_t cols = integers->cols;
    uint8_t *row = NULL;
    dltf_status status = new_row(cols, ITEM, &row);
    for (int64_t i = 0; i < integers->rows && status == DLTF_OK; i++) {
        for (int64_t j = 0; j < cols && status == DLTF_OK; j++) {
            int64_t value = integers->values[i * cols + j];
            if (value < INT32_MIN || value > INT32_MAX)
                status = dl_fail(DLTF_DATA,
                                 "row %" PRId64 ", column %" PRId64 " is %" PRId64
                                 ": .ivecs has 32 bits; write .npy",
                                 i, j, value);
            dl_put_little(row + DIMENSION + ITEM * j, (uint64_t)value, ITEM);
        }
        if (status == DLTF_OK)
            status = dl_writer_write(out, row, DIMENSION + ITEM * cols);
    }
    dl_free(row);
    return status;
}
