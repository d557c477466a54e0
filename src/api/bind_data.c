/* dltf/bind.h: arrays and codes in the caller's memory. */
#include "api/values.h"
#include "base/memory.h"
#include "data/array.h"
#include "data/matrix.h"

#include <string.h>

/* The type of a matrix in memory. */
static dltf_status matrix_type(const char *name, dltf_type *type) {
    dl_tensor_type element = DL_TENSOR_I32;
    dl_type_named(name, &element);
    *type = element == DL_TENSOR_F64 ? DLTF_F64 : element == DL_TENSOR_U8 ? DLTF_U8 : DLTF_F32;
    if (element == DL_TENSOR_F32 || element == DL_TENSOR_F64 || element == DL_TENSOR_U8)
        return DLTF_OK;
    return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                         "unsupported element type '%s': expected float32, float64 or uint8", name);
}

/* Strides whose last element cannot be addressed. */
static dltf_status check_strides(dltf_matrix matrix) {
    int64_t down = 0, right = 0, last = 0;
    if (matrix.row_stride >= 0 && matrix.col_stride >= 0 &&
        dl_multiply(matrix.rows - 1, matrix.row_stride, &down) &&
        dl_multiply(matrix.cols - 1, matrix.col_stride, &right) &&
        !__builtin_add_overflow(down, right, &last) && last <= INT64_MAX / 8)
        return DLTF_OK;
    return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                         "strides of %lld and %lld elements are out of range", (long long)matrix.row_stride,
                         (long long)matrix.col_stride);
}

dltf_status dltf_array_borrow(const void *data, const char *type, int64_t rows, int64_t cols,
                              int64_t row_stride, int64_t col_stride, dltf_array **array) {
    DL_CLEAR(array);
    DL_REQUIRE(data, type, array);
    dltf_matrix matrix = {data, DLTF_F32, rows, cols, row_stride, col_stride};
    dltf_status status = matrix_type(type, &matrix.type);
    if (status == DLTF_OK)
        status = dl_matrix_check(matrix, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK)
        status = check_strides(matrix);
    if (status != DLTF_OK)
        return status;
    dltf_array *made = DL_NEW(dltf_array, 1);
    if (!made)
        return DLTF_MEMORY;
    made->matrix = matrix;
    *array = made;
    return DLTF_OK;
}

/* ---- Sparse matrices ---- */

/* What an array of a sparse matrix owns. */
typedef struct borrowed_csr {
    dltf_csr csr;
    int64_t indptr[]; /* the copy, if there is one */
} borrowed_csr;

/* The type of this name, which must be one of two, for the elements at an address. */
static dltf_status csr_type(const char *what, const char *name, const void *address, dl_tensor_type one,
                            dl_tensor_type other, dl_tensor_type *type) {
    if (!dl_type_named(name, type) || (*type != one && *type != other))
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "unsupported type '%s' of %s: expected %s or %s", name, what, dl_type_name(one),
                             dl_type_name(other));
    if (!dl_is_aligned(address, (size_t)dl_tensor_type_size(*type)))
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "the address of %s is not a multiple of %d bytes", what,
                             dl_tensor_type_size(*type));
    return DLTF_OK;
}

/* Both types of indptr as int64. */
static void read_indptr(const void *indptr, bool wide, borrowed_csr *to) {
    to->csr.indptr = wide ? indptr : to->indptr;
    for (int64_t i = 0; i <= to->csr.rows && !wide; i++)
        to->indptr[i] = ((const int32_t *)indptr)[i];
}

static dltf_status check_entries(const dltf_csr *csr, int64_t entries) {
    if (csr->indptr[0] < 0 || csr->indptr[csr->rows] > entries)
        return dl_fail_about(
            DLTF_ARGUMENT, DLTF_SUBJECT_DATA, "rows have the entries %lld to %lld, but there are %lld",
            (long long)csr->indptr[0], (long long)csr->indptr[csr->rows], (long long)entries);
    for (int64_t i = 0; i < csr->rows; i++)
        if (csr->indptr[i] > csr->indptr[i + 1])
            return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA, "indptr decreases at row %lld",
                                 (long long)i);
    return dl_matrix_check(dltf_matrix_sparse(csr), DLTF_SUBJECT_DATA);
}

dltf_status dltf_array_borrow_csr(int64_t rows, int64_t cols, int64_t entries, const void *indptr,
                                  const char *indptr_type, const int32_t *indices, const void *values,
                                  const char *type, dltf_array **array) {
    DL_CLEAR(array);
    DL_REQUIRE(indptr, indptr_type, indices, values, type, array);
    dltf_status status = DLTF_OK;
    dl_tensor_type offsets = DL_TENSOR_U8, elements = DL_TENSOR_U8;
    dltf_array *made = NULL;
    borrowed_csr *own = NULL;
    if (rows < 1 || cols < 1 || rows > INT64_MAX / 16)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "%lld rows and %lld columns: at least one of each is needed", (long long)rows,
                             (long long)cols);
    DL_TRY(csr_type("indptr", indptr_type, indptr, DL_TENSOR_I32, DL_TENSOR_I64, &offsets));
    DL_TRY(csr_type("indices", "int32", indices, DL_TENSOR_I32, DL_TENSOR_I32, &elements));
    DL_TRY(csr_type("values", type, values, DL_TENSOR_F32, DL_TENSOR_F64, &elements));
    bool wide = offsets == DL_TENSOR_I64;
    DL_TRY_NEW(made, 1);
    made->memory = own = dl_alloc((int64_t)sizeof *own + (wide ? 0 : rows + 1) * 8, 1);
    if (!own) {
        status = DLTF_MEMORY;
        goto done;
    }
    own->csr = (dltf_csr){rows,
                          cols,
                          NULL,
                          indices,
                          elements == DL_TENSOR_F32 ? values : NULL,
                          elements == DL_TENSOR_F64 ? values : NULL};
    read_indptr(indptr, wide, own);
    DL_TRY(check_entries(&own->csr, entries));
    made->matrix = dltf_matrix_sparse(&own->csr);
    *array = made;
    made = NULL;
done:
    dltf_array_free(made);
    return status;
}

/* ---- Rows and codes ---- */

dltf_status dltf_array_rows(const dltf_array *array, int64_t first, int64_t count, float *out) {
    DL_REQUIRE(array, out);
    dltf_matrix matrix = array->matrix;
    if (first < 0 || count < 0 || first > matrix.rows - count)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "%lld rows from row %lld on are out of range for %lld rows", (long long)count,
                             (long long)first, (long long)matrix.rows);
    for (int64_t i = 0; i < count; i++)
        dltf_matrix_row(matrix, first + i, out + i * matrix.cols);
    return dl_matrix_status(matrix);
}

dltf_status dltf_bind_codes_new(const dltf_array *csr, dltf_codes **codes) {
    DL_CLEAR(codes);
    DL_REQUIRE(csr, codes);
    const dltf_csr *entries = csr->matrix.type == DLTF_SPARSE ? csr->matrix.data : NULL;
    if (!entries || !entries->values)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_CODES, "expected a sparse array of type float32");
    return dltf_codes_new(*entries, codes);
}

dltf_status dltf_codes_dense(const dltf_codes *codes, float *out) {
    DL_REQUIRE(codes, out);
    dltf_csr csr = dltf_codes_csr(codes);
    for (int64_t i = 0; i < csr.rows; i++) {
        float *row = out + i * csr.cols;
        memset(row, 0, (size_t)csr.cols * sizeof *row);
        for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++)
            row[csr.indices[e]] = csr.values[e];
    }
    return DLTF_OK;
}
