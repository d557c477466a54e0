/* .npy: every supported type, byte order and axis order; inconsistent headers. */
#include "test_io.h"

#include "data/array.h"
#include "io/formats/npy.h"

static dltf_status load(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_npy_load(file, &array);
    dltf_array_free(array);
    return status;
}

static double value(dltf_matrix m, int64_t row, int64_t col) {
    int64_t at = row * m.row_stride + col * m.col_stride;
    return m.type == DLTF_F32   ? (double)((const float *)m.data)[at]
           : m.type == DLTF_F64 ? ((const double *)m.data)[at]
                                : ((const uint8_t *)m.data)[at];
}

/* An element of this dtype with the value v. */
static void put_value(dl_text *to, const char *descr, int v) {
    uint8_t bytes[8] = {0};
    int size = descr[2] - '0';
    if (descr[1] == 'f' && size == 4)
        memcpy(bytes, &(float){(float)v}, 4);
    else if (descr[1] == 'f')
        memcpy(bytes, &(double){v}, 8);
    else
        dl_put_little(bytes, (uint64_t)v, size);
    for (int i = 0; i < size; i++)
        dl_text_append_bytes(to, &bytes[descr[0] == '>' ? size - 1 - i : i], 1);
}

/* 0 .. count-1 in storage order, plus `first`. */
static dl_text counting_file(const char *descr, bool fortran, const char *shape, int count, int first) {
    dl_text data = {0};
    char dictionary[200];
    for (int i = 0; i < count; i++)
        put_value(&data, descr, first + i);
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
             fortran ? "True" : "False", shape);
    dl_text file = npy_bytes(dictionary, data.data, data.length);
    dl_text_free(&data);
    return file;
}

static dltf_array *load_text(dl_text file) {
    dltf_array *array = NULL;
    dl_file borrowed = dl_file_borrow(file.data, file.length);
    dltf_status status = dl_npy_load(&borrowed, &array);
    if (status != DLTF_OK)
        fail_msg("%s", dltf_message());
    return array;
}

static void reads_every_type_and_order(void **state) {
    (void)state;
    static const struct {
        const char *descr;
        dltf_type type;
        int first;
    } cases[] = {{"<f4", DLTF_F32, -5},    {">f4", DLTF_F32, -5}, {"<f8", DLTF_F64, -5},
                 {">f8", DLTF_F64, -5},    {"|u1", DLTF_U8, 240}, {"|i1", DLTF_F32, -5},
                 {"<i2", DLTF_F32, -5},    {">i2", DLTF_F32, -5}, {"<u2", DLTF_F32, 65520},
                 {">u2", DLTF_F32, 65520}, {"<i4", DLTF_F64, -5}, {">i4", DLTF_F64, -5},
                 {"<u4", DLTF_F64, 7},     {">u4", DLTF_F64, 7},  {"<i8", DLTF_F64, -5},
                 {">i8", DLTF_F64, -5},    {"<u8", DLTF_F64, 7},  {">u8", DLTF_F64, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int fortran = 0; fortran < 2; fortran++) {
            dl_text file = counting_file(cases[c].descr, fortran, "(3, 4)", 12, cases[c].first);
            dltf_array *array = load_text(file);
            dltf_matrix m = dltf_array_matrix(array);
            assert_int_equal(m.type, cases[c].type);
            assert_int_equal(m.rows, 3);
            assert_int_equal(m.cols, 4);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 4; j++)
                    assert_true(value(m, i, j) == cases[c].first + (fortran ? 3 * j + i : 4 * i + j));
            dltf_array_free(array);
            dl_text_free(&file);
        }
}

static void flattens_further_axes(void **state) {
    (void)state;
    for (int fortran = 0; fortran < 2; fortran++) {
        dl_text file = counting_file("<f4", fortran, "(2, 3, 4)", 24, 0);
        dltf_array *array = load_text(file);
        dltf_matrix m = dltf_array_matrix(array);
        assert_int_equal(m.rows, 6);
        assert_int_equal(m.cols, 4);
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 3; b++)
                for (int c = 0; c < 4; c++)
                    assert_true(value(m, 3 * a + b, c) == (fortran ? a + 2 * b + 6 * c : 12 * a + 4 * b + c));
        dltf_array_free(array);
        dl_text_free(&file);
    }
    dl_text file = counting_file("<f8", true, "(5,)", 5, 0);
    dltf_array *array = load_text(file);
    dltf_matrix m = dltf_array_matrix(array);
    assert_int_equal(m.rows, 5);
    assert_int_equal(m.cols, 1);
    assert_true(value(m, 4, 0) == 4);
    dltf_array_free(array);
    dl_text_free(&file);
}

static void reads_all_header_versions(void **state) {
    (void)state;
    for (char version = 2; version <= 3; version++) {
        dl_text one = counting_file("<f4", false, "(2, 2)", 4, 1), file = {0};
        dl_text_append_bytes(&file, one.data, 6);
        dl_text_append_bytes(&file, (char[]){version, 0, one.data[8], one.data[9], 0, 0}, 6);
        dl_text_append_bytes(&file, one.data + 10, one.length - 10);
        dltf_array *array = load_text(file);
        assert_true(value(array->matrix, 1, 1) == 4);
        dltf_array_free(array);
        assert_truncation_fails(load, file.data, file.length);
        dl_text_free(&one);
        dl_text_free(&file);
    }
}

static void maps_what_can_be_mapped(void **state) {
    (void)state;
    float numbers[6] = {1, 2, 3, 4, 5, 6};
    const char *path = in_directory("a.npy");
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(numbers, 2, 3), path), DLTF_OK);
    dltf_array *array = NULL;
    assert_int_equal(dltf_array_load(path, &array), DLTF_OK);
    assert_non_null(array->mapping);
    assert_null(array->memory);
    assert_memory_equal(array->matrix.data, numbers, sizeof numbers);
    dltf_array_free(array);
}

static dltf_status load_dictionary(const char *dictionary, int64_t bytes) {
    char zeros[256] = {0};
    dl_text file = npy_bytes(dictionary, zeros, bytes);
    dltf_status status = load_copy(load, file.data, file.length);
    dl_text_free(&file);
    return status;
}

static void accepts_the_header_in_any_form(void **state) {
    (void)state;
    static const char *const good[] = {
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
        "{\"descr\":\"<f4\",'fortran_order':True,'shape':(2,3,)}",
        " { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , }   ",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3), }"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (load_dictionary(good[i], 24) != DLTF_OK)
            fail_msg("%s: %s", good[i], dltf_message());
}

static void rejects_corrupt_headers(void **state) {
    (void)state;
    static const struct {
        const char *header, *part;
    } bad[] = {
        {"", "expected a dictionary"},
        {"{", "expected a key"},
        {"{}", "expected descr"},
        {"{'descr': '<f4', 'fortran_order': False}", "expected shape"},
        {"{'descr': '<f4', 'shape': (2, 3), }", "expected fortran_order"},
        {"{'fortran_order': False, 'shape': (2, 3), }", "expected descr"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }", "True or False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)", "the end of the dictionary"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 6, }", "a shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }", "an axis length"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 3), }", "a closing parenthesis"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } x", "nothing after"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", "once each"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
         "descr, fortran_order and shape"},
        {"{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3), }", "dtype '<f4, '"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2, 3), }", "dtype ''"},
        {"{'descr': '<f4x', 'fortran_order': False, 'shape': (2, 3), }", "dtype '<f4x'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_fails(load_dictionary(bad[i].header, 24), DLTF_FORMAT, bad[i].part);
}

#define ONE "'fortran_order': False, 'shape': (2, 3), }"

static void names_unsupported_types(void **state) {
    (void)state;
    assert_fails(load_dictionary("{'descr': '<f1', " ONE, 6), DLTF_FORMAT, "dtype '<f1'");
    assert_fails(load_dictionary("{'descr': '<V4', " ONE, 24), DLTF_FORMAT, "x.astype(\"float32\")");
    assert_fails(load_dictionary("{'descr': '|b1', " ONE, 6), DLTF_FORMAT, "dtype '|b1'");
    assert_fails(load_dictionary("{'descr': '<c8', " ONE, 48), DLTF_FORMAT, "dtype '<c8'");
    assert_fails(load_dictionary("{'descr': '<M8[ns]', " ONE, 48), DLTF_FORMAT, "dtype");
    assert_fails(load_dictionary("{'descr': '|O', " ONE, 48), DLTF_FORMAT, "Python objects");
    assert_fails(load_dictionary("{'descr': [('a', '<f4')], " ONE, 24), DLTF_FORMAT, "structured");
    assert_fails(load_dictionary("{'descr': '|S4', " ONE, 24), DLTF_FORMAT, "text");
    assert_fails(load_dictionary("{'descr': '<U1', " ONE, 24), DLTF_FORMAT, "text");
    assert_fails(load_dictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4), DLTF_FORMAT,
                 "single");
    assert_fails(load_dictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", 0),
                 DLTF_FORMAT, "no numbers");
    assert_fails(load_dictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0), }", 0),
                 DLTF_FORMAT, "no numbers");
}

static void checks_sizes_before_allocating(void **state) {
    (void)state;
    assert_fails(load_dictionary("{'descr': '<f4', " ONE, 20), DLTF_FORMAT,
                 "truncated: header declares 24 bytes, file has 20");
    assert_fails(load_dictionary("{'descr': '<f4', " ONE, 25), DLTF_FORMAT, "1 more bytes than");
    assert_fails(
        load_dictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000), }", 24),
        DLTF_FORMAT, "more");
    assert_fails(
        load_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000000000000, 1), }", 24),
        DLTF_FORMAT, "more bytes than can be addressed");
    assert_fails(
        load_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 1), }", 24),
        DLTF_FORMAT, "corrupt");
    assert_fails(load_dictionary("{'descr': '<f4', 'fortran_order': False, 'shape': "
                                 "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }",
                                 4),
                 DLTF_FORMAT, "axes");
    const uint8_t long_header[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0xff, 0xff, 0xff, 0xff, '{'};
    assert_fails(load_copy(load, long_header, sizeof long_header), DLTF_FORMAT, "header length is");
    uint8_t *huge = calloc(70000, 1);
    memcpy(huge, "\x93NUMPY\2\0\0\0\1\0{", 13);
    assert_fails(load_copy(load, huge, 70000), DLTF_FORMAT, "header length of");
    free(huge);
    assert_fails(load_copy(load, "\x93NUMPY\4\0xxxxxxxx", 16), DLTF_FORMAT, "version 4.0");
    assert_fails(load_copy(load, "this is no array", 16), DLTF_FORMAT, "not a .npy file");
}

static void rejects_integers_beyond_2_to_53(void **state) {
    (void)state;
    const int64_t numbers[] = {1, (INT64_C(1) << 53) + 1};
    dl_text file = npy_bytes("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }", numbers, 16);
    assert_fails(load_copy(load, file.data, file.length), DLTF_DATA, "element 1 is 9007199254740993");
    dl_text_free(&file);
    const uint64_t large[] = {UINT64_MAX};
    file = npy_bytes("{'descr': '<u8', 'fortran_order': False, 'shape': (1, 1), }", large, 8);
    assert_fails(load_copy(load, file.data, file.length), DLTF_DATA, "2^53");
    dl_text_free(&file);
}

static void survives_corruption(void **state) {
    (void)state;
    dl_text file = counting_file(">i2", true, "(2, 1, 3)", 6, 0);
    assert_truncation_fails(load, file.data, file.length);
    flip_every_bit(load, file.data, file.length);
    dl_text_free(&file);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    dl_text file = counting_file(">f4", true, "(2, 1, 3)", 6, 0);
    assert_survives_lack_of_memory(load_copy(load, file.data, file.length), true);
    dl_text_free(&file);
    float numbers[6] = {0};
    const char *path = in_directory("memory.npy");
    assert_survives_lack_of_memory(dltf_matrix_save(dltf_matrix_f32(numbers, 2, 3), path),
                                   access(path, F_OK) != 0);
}

static void writes_views_in_c_order(void **state) {
    (void)state;
    double numbers[12];
    for (int i = 0; i < 12; i++)
        numbers[i] = i;
    /* columns 1 and 3 of the transpose of a 3 x 4 matrix */
    dltf_matrix slice = {numbers + 1, DLTF_F64, 2, 3, 2, 4};
    const char *path = in_directory("view.npy");
    assert_int_equal(dltf_matrix_save(slice, path), DLTF_OK);
    dl_text file = read_back(path);
    assert_int_equal(file.length, 128 + 48);
    assert_int_equal(file.data[127], '\n');
    assert_memory_equal(file.data + 128, ((double[]){1, 5, 9, 3, 7, 11}), 48);
    dl_text_free(&file);
    const uint8_t bytes[] = {1, 2, 255};
    assert_int_equal(dltf_matrix_save(dltf_matrix_u8(bytes, 3, 1), path), DLTF_OK);
    dltf_array *array = NULL;
    assert_int_equal(dltf_array_load(path, &array), DLTF_OK);
    assert_int_equal(array->matrix.type, DLTF_U8);
    assert_true(value(array->matrix, 2, 0) == 255);
    dltf_array_free(array);
}

static void names_the_file_in_failures(void **state) {
    (void)state;
    dltf_array *array = (dltf_array *)1;
    dl_text file = npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (1024, 10), }", NULL, 0);
    char zeros[1024] = {0};
    dl_text_append_bytes(&file, zeros, sizeof zeros);
    write_file(in_directory("train.npy"), file.data, file.length);
    assert_fails(dltf_array_load(in_directory("train.npy"), &array), DLTF_FORMAT,
                 "/train.npy: truncated: header declares 40,960 bytes, file has 1,024");
    assert_null(array);
    dl_text_free(&file);
    assert_fails(dltf_matrix_save(dltf_matrix_f32((float[]){1}, 1, 1), in_directory("no/x.npy")), DLTF_FILE,
                 "x.npy: ");
    assert_fails(dltf_matrix_save(dltf_matrix_f32(NULL, 1, 1), in_directory("x.npy")), DLTF_ARGUMENT, "data");
}

IO_TESTS_MAIN(cmocka_unit_test(reads_every_type_and_order), cmocka_unit_test(flattens_further_axes),
              cmocka_unit_test(reads_all_header_versions), cmocka_unit_test(maps_what_can_be_mapped),
              cmocka_unit_test(accepts_the_header_in_any_form), cmocka_unit_test(rejects_corrupt_headers),
              cmocka_unit_test(names_unsupported_types), cmocka_unit_test(checks_sizes_before_allocating),
              cmocka_unit_test(rejects_integers_beyond_2_to_53), cmocka_unit_test(survives_corruption),
              cmocka_unit_test(survives_lack_of_memory), cmocka_unit_test(writes_views_in_c_order),
              cmocka_unit_test(names_the_file_in_failures))
