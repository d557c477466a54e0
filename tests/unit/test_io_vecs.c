/* .fvecs, .bvecs and .ivecs. */
#include "io/formats/integers.h"
#include "test_io.h"

#include "data/array.h"
#include "io/formats/vecs.h"

#include <float.h>
#include <math.h>

/* Two rows of 3. */
static const uint8_t floats[] = {3, 0, 0, 0, 0, 0, 0x80, 0x3f, 0,    0,    0,    0xc0, 0, 0, 0,    0x3f,
                                 3, 0, 0, 0, 0, 0, 0,    0,    0xff, 0xff, 0x7f, 0x7f, 0, 0, 0x20, 0x41};
static const float float_values[] = {1, -2, 0.5f, 0, FLT_MAX, 10};
static const uint8_t bytes[] = {3, 0, 0, 0, 1, 2, 255, 3, 0, 0, 0, 0, 5, 6};
static const uint8_t byte_values[] = {1, 2, 255, 0, 5, 6};
static const uint8_t integers[] = {3, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0x80,
                                   3, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 1, 0};
static const int64_t integer_values[] = {1, -1, INT32_MIN, 0, INT32_MAX, 65536};

#define LOADER(name)                                                                                         \
    static dltf_status load_##name(dl_file *file) {                                                          \
        dltf_array *array = NULL;                                                                            \
        dltf_status status = dl_##name##_load(file, &array);                                                 \
        dltf_array_free(array);                                                                              \
        return status;                                                                                       \
    }
LOADER(fvecs)
LOADER(bvecs)
LOADER(ivecs)

static dltf_array *loaded(const char *name, const void *content, int64_t size) {
    dltf_array *array = NULL;
    write_file(in_directory(name), content, size);
    if (dltf_array_load(in_directory(name), &array) != DLTF_OK)
        fail_msg("%s", dltf_message());
    assert_int_equal(array->matrix.rows, 2);
    assert_int_equal(array->matrix.cols, 3);
    return array;
}

static void reads_views_of_the_file(void **state) {
    (void)state;
    float row[3];
    dltf_array *array = loaded("x.fvecs", floats, sizeof floats);
    assert_int_equal(array->matrix.type, DLTF_F32);
    assert_non_null(array->mapping);
    for (int i = 0; i < 2; i++) {
        dltf_matrix_row(array->matrix, i, row);
        assert_memory_equal(row, float_values + 3 * i, sizeof row);
    }
    dltf_array_free(array);
    array = loaded("x.BVECS", bytes, sizeof bytes);
    assert_int_equal(array->matrix.type, DLTF_U8);
    assert_non_null(array->mapping);
    for (int i = 0; i < 6; i++)
        assert_int_equal(((const uint8_t *)array->matrix.data)[i / 3 * array->matrix.row_stride + i % 3],
                         byte_values[i]);
    dltf_array_free(array);
}

static void reads_every_integer(void **state) {
    (void)state;
    dltf_array *array = loaded("x.ivecs", integers, sizeof integers);
    assert_int_equal(array->matrix.type, DLTF_F64);
    for (int i = 0; i < 6; i++)
        assert_true(((const double *)array->matrix.data)[i] == (double)integer_values[i]);
    dltf_array_free(array);
}

static void assert_content(const char *name, const void *wanted, int64_t size) {
    dl_text content = read_back(in_directory(name));
    assert_int_equal(content.length, size);
    assert_memory_equal(content.data, wanted, (size_t)size);
    dl_text_free(&content);
}

static void writes_what_it_reads(void **state) {
    (void)state;
    double wide[6];
    uint8_t turned[6];
    for (int i = 0; i < 6; i++) {
        wide[i] = (double)float_values[i];
        turned[i % 3 * 2 + i / 3] = byte_values[i];
    }
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(float_values, 2, 3), in_directory("w.fvecs")), DLTF_OK);
    assert_content("w.fvecs", floats, sizeof floats);
    assert_int_equal(dltf_matrix_save(dltf_matrix_f64(wide, 2, 3), in_directory("w.fvecs")), DLTF_OK);
    assert_content("w.fvecs", floats, sizeof floats);
    dltf_matrix columns = {turned, DLTF_U8, 2, 3, 1, 2}; /* Fortran order */
    assert_int_equal(dltf_matrix_save(columns, in_directory("w.bvecs")), DLTF_OK);
    assert_content("w.bvecs", bytes, sizeof bytes);
    assert_int_equal(dl_integers_save(&(dl_integers){integer_values, 2, 3, false}, in_directory("w.ivecs")),
                     DLTF_OK);
    assert_content("w.ivecs", integers, sizeof integers);
}

static void integers_in_other_formats(void **state) {
    (void)state;
    dltf_labels *labels = NULL;
    int64_t count = 0;
    assert_int_equal(dl_integers_save(&(dl_integers){integer_values, 2, 3, false}, in_directory("w.csv")),
                     DLTF_OK);
    assert_content("w.csv", "1,-1,-2147483648\n0,2147483647,65536\n", 36);
    assert_int_equal(dl_integers_save(&(dl_integers){integer_values, 2, 3, false}, in_directory("w.npy")),
                     DLTF_OK);
    dltf_array *array = NULL;
    assert_int_equal(dltf_array_load(in_directory("w.npy"), &array), DLTF_OK);
    assert_true(array->matrix.rows == 2 && array->matrix.cols == 3);
    assert_true(((const double *)array->matrix.data)[4] == INT32_MAX);
    dltf_array_free(array);
    /* Labels: one per row. */
    assert_int_equal(dltf_labels_save(integer_values, 6, in_directory("l.ivecs")), DLTF_OK);
    assert_int_equal(dltf_labels_load(in_directory("l.ivecs"), &labels), DLTF_OK);
    assert_memory_equal(dltf_labels_get(labels, &count), integer_values, sizeof integer_values);
    assert_int_equal(count, 6);
    dltf_labels_free(labels);
}

static void rejects_what_a_format_cannot_hold(void **state) {
    (void)state;
    const double large[] = {1, 1e39};
    const int64_t wide[] = {1, 2, INT64_C(1) << 31};
    assert_fails(dltf_matrix_save(dltf_matrix_f64(large, 1, 2), in_directory("n.fvecs")), DLTF_DATA,
                 "n.fvecs: row 0, column 1 is 1e+39: .fvecs has single precision; write .npy");
    assert_fails(dltf_matrix_save(dltf_matrix_f32(float_values, 2, 3), in_directory("n.bvecs")),
                 DLTF_ARGUMENT, "n.bvecs: only bytes can be written as .bvecs");
    assert_fails(dl_integers_save(&(dl_integers){wide, 1, 3, false}, in_directory("n.ivecs")), DLTF_DATA,
                 "n.ivecs: row 0, column 2 is 2147483648: .ivecs has 32 bits; write .npy");
    assert_int_equal(access(in_directory("n.fvecs"), F_OK), -1);
    assert_int_equal(access(in_directory("n.bvecs"), F_OK), -1);
    assert_int_equal(access(in_directory("n.ivecs"), F_OK), -1);
}

static void rejects_what_is_not_finite(void **state) {
    (void)state;
    static const char *const names[] = {"bad.fvecs", "bad.npy", "bad.csv"};
    const float values[] = {1, 2, 3, INFINITY};
    const double wide[] = {1, 2, (double)NAN, 4};
    for (int i = 0; i < 3; i++) {
        const char *path = in_directory(names[i]);
        assert_fails(dltf_matrix_save(dltf_matrix_f32(values, 2, 2), path), DLTF_DATA,
                     "row 1, column 1 is infinite");
        assert_fails(dltf_matrix_save(dltf_matrix_f64(wide, 2, 2), path), DLTF_DATA,
                     "row 1, column 0 is NaN");
        assert_int_equal(access(path, F_OK), -1);
    }
}

static void survives_corruption(void **state) {
    (void)state;
    static const struct {
        loader load;
        const uint8_t *content;
        int64_t size;
    } cases[] = {{load_fvecs, floats, sizeof floats},
                 {load_bvecs, bytes, sizeof bytes},
                 {load_ivecs, integers, sizeof integers}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        loader load = cases[i].load;
        flip_every_bit(load, cases[i].content, cases[i].size);
        assert_survives_lack_of_memory(load_copy(load, cases[i].content, cases[i].size), true);
        for (int64_t size = 0; size < cases[i].size; size++) /* one whole row is a file, too */
            assert_int_equal(load_copy(load, cases[i].content, size),
                             2 * size == cases[i].size ? DLTF_OK : DLTF_FORMAT);
    }
}

static void says_what_is_wrong(void **state) {
    (void)state;
    assert_fails(load_copy(load_fvecs, "\3\0\0", 3), DLTF_FORMAT,
                 "truncated: row 0 (counting from 0) ends within its dimension");
    assert_fails(load_copy(load_fvecs, "\0\0\0\0", 4), DLTF_FORMAT,
                 "row 0 (counting from 0) has dimension 0: must be at least 1");
    assert_fails(load_copy(load_ivecs, "\xff\xff\xff\xff", 4), DLTF_FORMAT, "has dimension -1: must be");
    assert_fails(load_copy(load_ivecs, "\xff\xff\xff\x7f....", 8), DLTF_FORMAT,
                 "truncated: row 0 (counting from 0) has 8 of 8,589,934,592 bytes");
    assert_fails(load_copy(load_bvecs, "\2\0\0\0ab\1\0\0\0c", 11), DLTF_FORMAT,
                 "row 1 (counting from 0) has dimension 1, but the rows before have 2");
    assert_fails(load_copy(load_bvecs, "\2\0\0\0ab\2\0\0\0c", 11), DLTF_FORMAT,
                 "truncated: row 1 (counting from 0) has 5 of 6 bytes");
    assert_fails(load_copy(load_bvecs, "\2\0\0\0ab\2\0", 8), DLTF_FORMAT, "row 1 (counting from 0) ends");
    write_file(in_directory("bad.fvecs"), "\0\0\0\0", 4);
    dltf_array *array = NULL;
    assert_fails(dltf_array_load(in_directory("bad.fvecs"), &array), DLTF_FORMAT,
                 "bad.fvecs: corrupt: row 0");
}

IO_TESTS_MAIN(cmocka_unit_test(reads_views_of_the_file), cmocka_unit_test(reads_every_integer),
              cmocka_unit_test(writes_what_it_reads), cmocka_unit_test(integers_in_other_formats),
              cmocka_unit_test(rejects_what_a_format_cannot_hold),
              cmocka_unit_test(rejects_what_is_not_finite), cmocka_unit_test(survives_corruption),
              cmocka_unit_test(says_what_is_wrong))
