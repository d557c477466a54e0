/* Arrays and codes in the caller's memory, without structs. */
#include "test_util.h"

#include "data/array.h"
#include "dltf.h"

static void views_of_memory(void **state) {
    (void)state;
    const float c[] = {1, 2, 3, 4, 5, 6};
    const double fortran[] = {1, 4, 2, 5, 3, 6};
    const uint8_t slice[] = {1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9};
    dltf_array *arrays[3] = {NULL};
    assert_survives_lack_of_memory(dltf_array_borrow(c, "float32", 2, 3, 3, 1, &arrays[0]), 1);
    assert_int_equal(dltf_array_borrow(fortran, "float64", 2, 3, 1, 2, &arrays[1]), DLTF_OK);
    assert_int_equal(dltf_array_borrow(slice, "uint8", 2, 3, 6, 2, &arrays[2]), DLTF_OK);
    for (int i = 0; i < 3; i++) {
        float rows[6] = {0};
        assert_int_equal(dltf_array_rows(arrays[i], 0, 2, rows), DLTF_OK);
        assert_memory_equal(rows, c, sizeof rows);
        assert_int_equal(dltf_array_rows(arrays[i], 1, 1, rows), DLTF_OK);
        assert_memory_equal(rows, c + 3, 3 * sizeof *rows);
        assert_fails(dltf_array_rows(arrays[i], 1, 2, rows), DLTF_ARGUMENT, "2 rows from row 1 on");
        assert_fails(dltf_array_rows(arrays[i], -1, 1, rows), DLTF_ARGUMENT, "out of range");
        assert_fails(dltf_array_rows(arrays[i], INT64_MAX, 1, rows), DLTF_ARGUMENT, "out of range");
        assert_fails(dltf_array_rows(arrays[i], 0, -1, rows), DLTF_ARGUMENT, "out of range");
        assert_fails(dltf_array_rows(arrays[i], 0, INT64_MIN, rows), DLTF_ARGUMENT, "out of range");
        dltf_array_free(arrays[i]);
    }
}

/* Elements in C order are there as a view. */
static void content_of_arrays(void **state) {
    (void)state;
    const float x[] = {1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 2; i++) {
        dltf_array *array = NULL;
        dltf_values *values = NULL;
        const char *type = NULL, *name = NULL;
        int64_t rows = 0, cols = 0;
        const void *data = NULL;
        double height = -1;
        assert_int_equal(dltf_array_borrow(x, "float32", 2, 3, i ? 1 : 3, i ? 2 : 1, &array), DLTF_OK);
        assert_int_equal(dltf_bind_get("array", array, &values), DLTF_OK);
        assert_int_equal(dltf_values_text(values, "type", &name), DLTF_OK);
        assert_string_equal(name, "float32");
        assert_int_equal(dltf_values_number(values, "height", &height), DLTF_OK);
        assert_true(height == 0);
        assert_int_equal(dltf_values_array(values, "data", &type, &rows, &cols, &data),
                         i ? DLTF_ARGUMENT : DLTF_OK);
        assert_ptr_equal(data, i ? NULL : x);
        dltf_values_free(values);
        dltf_array_free(array);
    }
}

static void arrays_that_cannot_be(void **state) {
    (void)state;
    const float x[] = {1, 2, 3, 4};
    dltf_array *array = NULL;
    assert_fails(dltf_array_borrow(x, "float16", 2, 2, 2, 1, &array), DLTF_ARGUMENT,
                 "unsupported element type 'float16'");
    assert_fails(dltf_array_borrow(x, "int32", 2, 2, 2, 1, &array), DLTF_ARGUMENT, "expected float32");
    assert_fails(dltf_array_borrow(x, "float32", -1, 2, 2, 1, &array), DLTF_ARGUMENT, "data: -1 rows");
    assert_fails(dltf_array_borrow(x, "float32", INT64_C(1) << 62, 2, 2, 1, &array), DLTF_ARGUMENT,
                 "too large");
    assert_fails(dltf_array_borrow(x, "float32", 2, 2, INT64_MIN, 1, &array), DLTF_ARGUMENT, "strides of -9");
    assert_fails(dltf_array_borrow(x, "float32", 2, 2, INT64_MAX, 1, &array), DLTF_ARGUMENT, "strides");
    assert_fails(dltf_array_borrow(x, "float32", 3, 2, INT64_MAX, 1, &array), DLTF_ARGUMENT, "strides");
    assert_fails(dltf_array_borrow((const char *)x + 2, "float32", 1, 2, 2, 1, &array), DLTF_ARGUMENT,
                 "multiple of 4");
    assert_null(array);
}

static const int64_t wide[] = {0, 2, 2, 3};
static const int32_t narrow[] = {0, 2, 2, 3}, indices[] = {0, 2, 1};
static const int64_t wide_indices[] = {0, 2, 1};
static const float singles[] = {1, -2, 3};
static const double doubles[] = {1, -2, 3};
static const float dense[] = {1, 0, -2, 0, 0, 0, 0, 3, 0};

static void sparse_views(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        const void *indptr = i % 2 ? (const void *)wide : narrow;
        const void *columns = i % 2 ? (const void *)wide_indices : indices;
        const void *values = i / 2 ? (const void *)doubles : singles;
        dltf_array *array = NULL;
        dltf_codes *codes = NULL;
        float rows[9];
        assert_survives_lack_of_memory(dltf_array_borrow_csr(3, 3, 3, indptr, columns,
                                                             i % 2 ? "int64" : "int32", values,
                                                             i / 2 ? "float64" : "float32", &array),
                                       2);
        assert_int_equal(dltf_array_rows(array, 0, 3, rows), DLTF_OK);
        assert_memory_equal(rows, dense, sizeof rows);
        memset(rows, 9, sizeof rows);
        assert_survives_lack_of_memory(dltf_bind_codes_new(array, &codes), 2);
        assert_int_equal(dltf_codes_dense(codes, rows), DLTF_OK);
        assert_memory_equal(rows, dense, sizeof rows);
        dltf_codes_free(codes);
        dltf_array_free(array);
    }
}

static dltf_status sparse(int64_t rows, int64_t cols, int64_t entries, const void *indptr,
                          const char *index_type, const char *type) {
    dltf_array *array = NULL;
    dltf_status status =
        dltf_array_borrow_csr(rows, cols, entries, indptr, wide_indices, index_type, singles, type, &array);
    assert_null(array);
    return status;
}

static void sparse_views_that_cannot_be(void **state) {
    (void)state;
    const int64_t falling[] = {0, 3, 2, 3}, late[] = {-1, 2, 2, 3};
    assert_fails(sparse(0, 3, 3, wide, "int64", "float32"), DLTF_ARGUMENT, "0 rows");
    assert_fails(sparse(3, INT64_MIN, 3, wide, "int64", "float32"), DLTF_ARGUMENT, "out of range");
    assert_fails(sparse(3, 3, INT64_MAX, wide, "int64", "float32"), DLTF_ARGUMENT, "out of range");
    assert_fails(sparse(INT64_MAX, 3, 3, wide, "int64", "float32"), DLTF_ARGUMENT, "rows");
    assert_fails(sparse(3, 3, 3, wide, "uint8", "float32"), DLTF_ARGUMENT, "type 'uint8' of indptr");
    assert_fails(sparse(3, 3, 3, wide, "int64", "int32"), DLTF_ARGUMENT, "type 'int32' of values");
    assert_fails(sparse(3, 3, 3, (const char *)wide + 4, "int64", "float32"), DLTF_ARGUMENT,
                 "the address of indptr is not a multiple of 8");
    assert_fails(sparse(3, 3, 2, wide, "int64", "float32"), DLTF_ARGUMENT, "but there are 2");
    assert_fails(sparse(3, 3, 3, falling, "int64", "float32"), DLTF_ARGUMENT, "decreases at row 1");
    assert_fails(sparse(3, 3, 3, late, "int64", "float32"), DLTF_ARGUMENT, "entries -1 to 3");
    assert_fails(sparse(3, 2, 3, wide, "int64", "float32"), DLTF_ARGUMENT, "in column 2 of 2");
    dltf_array *array = NULL;
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_array_borrow(dense, "float32", 3, 3, 3, 1, &array), DLTF_OK);
    assert_fails(dltf_bind_codes_new(array, &codes), DLTF_ARGUMENT, "expected a sparse array");
    dltf_array_free(array);
}

TESTS_MAIN(cmocka_unit_test(views_of_memory), cmocka_unit_test(content_of_arrays),
           cmocka_unit_test(arrays_that_cannot_be), cmocka_unit_test(sparse_views),
           cmocka_unit_test(sparse_views_that_cannot_be))
