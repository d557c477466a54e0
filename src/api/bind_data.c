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

dltf_status dltf_array_borrow(const void *data, const char *type, int64_t rows, int64_t cols,
                              int64_t row_stride, int64_t col_stride, dltf_array **array) {
    DL_CLEAR(array);
    DL_REQUIRE(data, type, array);
    dltf_matrix matrix = {data, DLTF_F32, rows, cols, row_stride, col_stride};
    dltf_status status = matrix_type(type, &matrix.type);
    if (status == DLTF_OK)
        status = dl_matrix_check(matrix, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    dltf_array *made = dl_array_new();
    if (!made)
        return DLTF_MEMORY;
    made->matrix = matrix;
    *array = made;
    return DLTF_OK;
}

/* ---- Sparse matrices ---- */

/* What an array of a sparse matrix owns. Indices have one type, as in SciPy and Octave, but a dltf_csr has
 * both: indptr is copied from int32, indices are copied from int64. */
typedef struct borrowed_csr {
    dltf_csr csr;
    int64_t copy[]; /* indptr, or the indices as int32 */
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

static void copy_narrow(const int32_t *indptr, const int32_t *indices, borrowed_csr *to) {
    for (int64_t i = 0; i <= to->csr.rows; i++)
        to->copy[i] = indptr[i];
    to->csr.indptr = to->copy;
    to->csr.indices = indices;
}

static dltf_status copy_wide(const int64_t *indptr, const int64_t *indices, int64_t entries,
                             borrowed_csr *to) {
    int32_t *narrow = (int32_t *)to->copy;
    for (int64_t e = 0; e < entries; e++) {
        if (indices[e] < 0 || indices[e] >= to->csr.cols)
            return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA, "entry %lld is in column %lld of %lld",
                                 (long long)e, (long long)indices[e], (long long)to->csr.cols);
        narrow[e] = (int32_t)indices[e];
    }
    to->csr.indptr = indptr;
    to->csr.indices = narrow;
    return DLTF_OK;
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

/* Rows, and entries: a copy of either can be addressed. */
static const int64_t MOST = INT64_MAX / 16;

dltf_status dltf_array_borrow_csr(int64_t rows, int64_t cols, int64_t entries, const void *indptr,
                                  const void *indices, const char *index_type, const void *values,
                                  const char *type, dltf_array **array) {
    DL_CLEAR(array);
    DL_REQUIRE(indptr, indices, index_type, values, type, array);
    dltf_status status = DLTF_OK;
    dl_tensor_type offsets = DL_TENSOR_U8, elements = DL_TENSOR_U8;
    dltf_array *made = NULL;
    borrowed_csr *own = NULL;
    if (rows < 1 || cols < 1 || rows > MOST || cols > INT32_MAX || entries < 0 || entries > MOST)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "%lld rows, %lld columns and %lld entries are out of range", (long long)rows,
                             (long long)cols, (long long)entries);
    DL_TRY(csr_type("indptr", index_type, indptr, DL_TENSOR_I32, DL_TENSOR_I64, &offsets));
    DL_TRY(csr_type("indices", index_type, indices, DL_TENSOR_I32, DL_TENSOR_I64, &offsets));
    DL_TRY(csr_type("values", type, values, DL_TENSOR_F32, DL_TENSOR_F64, &elements));
    bool wide = offsets == DL_TENSOR_I64;
    DL_TRY_HANDLE(made, ARRAY);
    made->memory = own = dl_alloc((int64_t)sizeof *own + (wide ? entries * 4 : (rows + 1) * 8), 1);
    if (!own) {
        status = DLTF_MEMORY;
        goto done;
    }
    own->csr = (dltf_csr){rows,
                          cols,
                          NULL,
                          NULL,
                          elements == DL_TENSOR_F32 ? values : NULL,
                          elements == DL_TENSOR_F64 ? values : NULL};
    if (wide)
        DL_TRY(copy_wide(indptr, indices, entries, own));
    else
        copy_narrow(indptr, indices, own);
    DL_TRY(check_entries(&own->csr, entries));
    made->matrix = dltf_matrix_sparse(&own->csr);
    *array = made;
    made = NULL;
done:
    dltf_array_free(made);
    return status;
}

/* ---- Rows and codes ---- */

dltf_status dltf_bind_source_new(int64_t rows, int64_t cols, dltf_row_reader read, void *context,
                                 dltf_array **array) {
    DL_CLEAR(array);
    DL_REQUIRE(array);
    dltf_status status = DLTF_OK;
    dltf_array *made = NULL;
    DL_TRY_HANDLE(made, ARRAY);
    DL_TRY(dltf_source_new(rows, cols, read, context, &made->source));
    made->matrix = dltf_source_matrix(made->source);
    *array = made;
    made = NULL;
done:
    dltf_array_free(made);
    return status;
}

dltf_status dltf_bind_matrix_save(const dltf_array *array, const char *path) {
    DL_REQUIRE(array, path);
    return dltf_matrix_save(array->matrix, path);
}

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
    if (csr->matrix.type != DLTF_SPARSE)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_CODES, "expected a sparse array");
    dltf_csr entries = *(const dltf_csr *)csr->matrix.data;
    if (!entries.doubles)
        return dltf_codes_new(entries, codes);
    int64_t count = entries.indptr[entries.rows];
    float *narrow = DL_NEW(float, count);
    if (!narrow)
        return DLTF_MEMORY;
    for (int64_t e = entries.indptr[0]; e < count; e++)
        narrow[e] = (float)entries.doubles[e];
    entries.doubles = NULL;
    entries.values = narrow;
    dltf_status status = dltf_codes_new(entries, codes);
    dl_free(narrow);
    return status;
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
