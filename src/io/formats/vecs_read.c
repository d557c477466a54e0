/* Reading .fvecs, .bvecs and .ivecs: rows of a dimension, a little-endian int32 that is the same in all rows,
 * and that many elements. There is no header, so every row is checked. */
#include "base/memory.h"
#include "data/array.h"
#include "data/matrix.h"
#include "io/files/bytes.h"
#include "io/formats/elements.h"
#include "io/formats/records.h"
#include "io/formats/vecs.h"

#include <inttypes.h>

enum { DIMENSION = 4 }; /* bytes */

dltf_status dl_vecs_check(const uint8_t *prefix, int64_t row, int64_t expected) {
    int64_t found = (int32_t)dl_little32(prefix);
    if (found < 1)
        return dl_fail(DLTF_FORMAT,
                       "corrupt: row %s (counting from 0) has dimension %" PRId64 ": must be at least 1",
                       DL_COMMAS(row), found);
    if (expected > 0 && found != expected)
        return dl_fail(DLTF_FORMAT,
                       "corrupt: row %s (counting from 0) has dimension %" PRId64
                       ", but the rows before have %" PRId64,
                       DL_COMMAS(row), found, expected);
    return DLTF_OK;
}

/* Row `row` begins at `begin`; *dimension is that of the rows before, or 0. */
static dltf_status check_row(const dl_file *file, int64_t row, int64_t begin, int64_t item,
                             int64_t *dimension) {
    int64_t present = file->size - begin;
    if (present < DIMENSION)
        return dl_fail(DLTF_FORMAT, "truncated: row %s (counting from 0) ends within its dimension",
                       DL_COMMAS(row));
    dltf_status status = dl_vecs_check(file->bytes + begin, row, *dimension);
    if (status != DLTF_OK)
        return status;
    int64_t found = (int32_t)dl_little32(file->bytes + begin);
    if (present < DIMENSION + found * item)
        return dl_fail(DLTF_FORMAT, "truncated: row %s (counting from 0) has %s of %s bytes", DL_COMMAS(row),
                       DL_COMMAS(present), DL_COMMAS(DIMENSION + found * item));
    *dimension = found;
    return DLTF_OK;
}

static dltf_status check(const dl_file *file, int64_t item, int64_t *rows, int64_t *cols) {
    dltf_status status = DLTF_OK;
    int64_t begin = 0;
    for (*rows = *cols = 0; begin < file->size || *rows == 0; (*rows)++) {
        status = check_row(file, *rows, begin, item, cols);
        if (status != DLTF_OK)
            return status;
        begin += DIMENSION + *cols * item;
    }
    return DLTF_OK;
}

/* A contiguous copy of the rows in the matrix's type. */
static dltf_status convert(const dl_file *file, dl_elements row, dltf_type type, int64_t rows, int64_t cols,
                           dltf_array **array) {
    dltf_status status = DLTF_OK;
    dltf_array *made = NULL;
    int64_t size = dl_type_size(type);
    row.count = cols;
    row.bytes = cols * row.item;
    DL_TRY_HANDLE(made, ARRAY);
    made->memory = dl_alloc(rows * cols, (size_t)size);
    if (!made->memory) {
        status = DLTF_MEMORY;
        goto done;
    }
    for (int64_t i = 0; i < rows; i++) {
        row.data = file->bytes + i * (DIMENSION + row.bytes) + DIMENSION;
        row.first = i * cols;
        DL_TRY(dl_elements_convert(&row, type, (char *)made->memory + i * cols * size));
    }
    made->matrix = (dltf_matrix){made->memory, type, rows, cols, cols, 1};
    *array = made;
    made = NULL;
done:
    dltf_array_free(made);
    return status;
}

static dltf_status load(dl_file *file, char kind, int64_t item, dltf_type type, dltf_array **array) {
    int64_t rows = 0, cols = 0;
    dl_elements row = {.kind = kind, .item = item, .swapped = item > 1 && !dl_host_is_little()};
    dltf_status status = check(file, item, &rows, &cols);
    if (status != DLTF_OK)
        return status;
    if (!dl_elements_native(&row, type))
        return convert(file, row, type, rows, cols, array);
    dl_records records = {
        .type = type, .rows = rows, .cols = cols, .offset = DIMENSION, .distance = DIMENSION + cols * item};
    return dl_records_array(&records, file, array);
}

dltf_status dl_fvecs_load(dl_file *file, dltf_array **array) {
    return load(file, 'f', sizeof(float), DLTF_F32, array);
}

dltf_status dl_bvecs_load(dl_file *file, dltf_array **array) {
    return load(file, 'u', 1, DLTF_U8, array);
}

dltf_status dl_ivecs_load(dl_file *file, dltf_array **array) {
    return load(file, 'i', sizeof(int32_t), DLTF_F64, array);
}

/* ---- Row by row ---- */

bool dl_fvecs_recognise(const uint8_t *bytes, int64_t size) {
    return size >= DIMENSION && dl_little32(bytes) >= 1 && dl_little32(bytes) <= 1 << 16;
}

static dltf_status describe(const dl_file *start, int64_t size, char kind, int64_t item,
                            dl_row_layout *layout) {
    if (start->size < DIMENSION)
        return dl_fail(DLTF_FORMAT, "truncated: row 0 (counting from 0) ends within its dimension");
    dltf_status status = dl_vecs_check(start->bytes, 0, 0);
    if (status != DLTF_OK)
        return status;
    int64_t cols = (int32_t)dl_little32(start->bytes), distance = DIMENSION + cols * item;
    *layout =
        (dl_row_layout){.elements = {.kind = kind, .item = item, .swapped = item > 1 && !dl_host_is_little()},
                        .rows = size / distance,
                        .cols = cols,
                        .prefix = DIMENSION,
                        .check = dl_vecs_check};
    if (size % distance != 0)
        return dl_fail(DLTF_FORMAT, "truncated: row %s (counting from 0) has %s of %s bytes",
                       DL_COMMAS(layout->rows), DL_COMMAS(size % distance), DL_COMMAS(distance));
    return DLTF_OK;
}

dltf_status dl_fvecs_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    return describe(start, size, 'f', sizeof(float), layout);
}

dltf_status dl_bvecs_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    return describe(start, size, 'u', 1, layout);
}

dltf_status dl_ivecs_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    return describe(start, size, 'i', sizeof(int32_t), layout);
}
