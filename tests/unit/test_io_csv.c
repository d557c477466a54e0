/* Text: separators, headers, number formats, and messages that name the line. */
#include "test_io.h"

#include "base/number.h"
#include "data/array.h"
#include "io/formats/csv.h"

#include <float.h>
#include <locale.h>
#include <math.h>

static dltf_status load(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_csv_load(file, &array);
    dltf_array_free(array);
    return status;
}

static dltf_status load_text(const char *text) {
    return load_copy(load, text, (int64_t)strlen(text));
}

/* The text must parse to these numbers. */
static void assert_numbers(const char *text, int64_t rows, int64_t cols, const double *numbers) {
    dltf_array *array = NULL;
    dl_file file = dl_file_borrow(text, (int64_t)strlen(text));
    if (dl_csv_load(&file, &array) != DLTF_OK)
        fail_msg("'%s': %s", text, dltf_message());
    assert_int_equal(array->matrix.rows, rows);
    assert_int_equal(array->matrix.cols, cols);
    assert_int_equal(array->matrix.type, DLTF_F64);
    assert_memory_equal(array->matrix.data, numbers, (size_t)(rows * cols) * sizeof *numbers);
    dltf_array_free(array);
}

static void reads_every_separator(void **state) {
    (void)state;
    const double four[] = {1, 2.5, -3, 4e5};
    static const char *const texts[] = {"1,2.5\n-3,4e5\n",
                                        "1;2.5\n-3;4e5",
                                        "1\t2.5\n-3\t4e5\n",
                                        "1 2.5\n-3 4e5\n",
                                        "  1   2.5  \r\n\t-3 \t 4e5\r\n",
                                        "1 , 2.5\n -3 ,+4.0E+5 \n",
                                        "\357\273\2771,2.5\n\n\n-3,4e5\n\n",
                                        "a,b\n1,2.5\n-3,4e5\n",
                                        "\"a, with; comma\",\"b \"\"quoted\"\"\"\r\n1,2.5\r\n-3,4e5\r\n",
                                        "x y\n1 2.5\n-3 4e5\n",
                                        "# a comment\n1 2.5\n# another\n-3 4e5\n",
                                        "\"1\",\"2.5\"\n\"-3\",\"4e5\"\n",
                                        ",b\n1,2.5\n-3,4e5\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_numbers(texts[i], 2, 2, four);
    assert_numbers("1\n2.5\n-3\n400000", 4, 1, four);
    assert_numbers("7", 1, 1, (double[]){7});
}

static void reads_numbers_exactly(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0.0},
                 {"-0", -0.0},
                 {".5", .5},
                 {"5.", 5.},
                 {"0.1", 0.1},
                 {"1e22", 1e22},
                 {"1e23", 1e23},
                 {"123456789012345678", 123456789012345678.0},
                 {"9007199254740993", 9007199254740993.0},
                 {"0.10000000000000001", 0.1},
                 {"1e-5", 1e-5},
                 {"2.2250738585072011e-308", 2.2250738585072011e-308},
                 {"4.9e-324", 4.9e-324},
                 {"1e-400", 0.0},
                 {"1.7976931348623157e308", DBL_MAX},
                 {"1e999", INFINITY},
                 {"inf", INFINITY},
                 {"-Infinity", -INFINITY},
                 {"000000000000000000000000000000000001", 1},
                 {"1e99999999999999999999", INFINITY},
                 {"0e99999999", 0},
                 {"0.000000000000000000000000000000000000000000000001", 1e-48},
                 {"3.14159265358979323846264338327950288", 3.141592653589793}};
    dl_decimal_point point;
    assert_int_equal(dl_decimal_point_open(&point), DLTF_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = -1;
        if (!dl_number_parse(cases[i].text, (int64_t)strlen(cases[i].text), &value) ||
            value != cases[i].value)
            fail_msg("%s gives %.17g", cases[i].text, value);
        assert_true(signbit(value) == signbit(cases[i].value));
    }
    static const char *const bad[] = {"",      "-",   "+",   ".",    "e5",   "1e",  "1e+", "0x10",
                                      "1.2.3", "1,5", "--1", "nanx", "infi", "1 2", "1f",  "nan(1)"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(dl_number_parse(bad[i], (int64_t)strlen(bad[i]), &(double){0}));
    double value = 0;
    assert_true(dl_number_parse("NaN", 3, &value) && isnan(value));
    dl_decimal_point_close(&point);
}

/* The fast path and strtod must agree on the output of %.17g and %.9g. */
static void fast_path_agrees_with_strtod(void **state) {
    (void)state;
    dl_decimal_point point;
    assert_int_equal(dl_decimal_point_open(&point), DLTF_OK);
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value = ldexp((double)(bits >> 11), (int)(bits % 120) - 100), back = 0;
        char text[64];
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.9g", value);
        assert_true(dl_number_parse(text, (int64_t)strlen(text), &back));
        assert_true(back == strtod(text, NULL));
    }
    dl_decimal_point_close(&point);
}

static void names_line_and_field(void **state) {
    (void)state;
    assert_fails(load_text("1,2,3\n4,5,6\n7,8,abc\n"), DLTF_FORMAT, "line 3, field 3: 'abc' is not a number");
    assert_fails(load_text("a,b\n\n1,2\n1,x\n"), DLTF_FORMAT, "line 4, field 2: 'x'");
    assert_fails(load_text("1,2,3\n4,5\n"), DLTF_FORMAT, "line 2 has 2 fields, line 1 has 3");
    assert_fails(load_text("1,2\n3,4,5,6\n"), DLTF_FORMAT, "line 2 has 4 fields, line 1 has 2");
    assert_fails(load_text("a,b,c\n3,4\n"), DLTF_FORMAT, "line 2 has 2 fields, line 1 has 3");
    assert_fails(load_text("1,,3\n"), DLTF_FORMAT, "line 1, field 2 is empty");
    assert_fails(load_text("1,2,\n"), DLTF_FORMAT, "line 1, field 3 is empty");
    assert_fails(load_text("1\t2\n3\t\n"), DLTF_FORMAT, "line 2, field 2 is empty");
    assert_fails(load_text("\t2\n3\t4\n"), DLTF_FORMAT, "line 1, field 1 is empty");
    assert_fails(load_text("1;2\n1,5;2\n"), DLTF_FORMAT, "'1,5' is not a number");
    assert_fails(load_text("a,b\n"), DLTF_FORMAT, "its only line is 'a,b'");
    assert_fails(load_text("\n\n"), DLTF_FORMAT, "contains no numbers");
    assert_fails(load_text("# only this\n"), DLTF_FORMAT, "contains no numbers");
    assert_fails(load_copy(load, "1,2\n3,\0004\n", 9), DLTF_FORMAT, "not a text file");
    assert_fails(load_text("1,2\n3,\"4\n"), DLTF_FORMAT, "is not a number");
    assert_fails(load_text("1\n\033[2Jred\n"), DLTF_FORMAT, "'?[2Jred'");
}

/* The first line has 30,000 columns, 30,000 lines follow: rows x columns would be 7 GB. */
static void a_wide_first_line_takes_no_memory(void **state) {
    (void)state;
    dl_text text = {0};
    for (int i = 0; i < 30000; i++)
        dl_text_append_bytes(&text, "1,", 2);
    dl_text_append_bytes(&text, "1", 1);
    for (int i = 0; i < 30000; i++)
        dl_text_append_bytes(&text, "\n1", 2);
    assert_fails(load_copy(load, text.data, text.length), DLTF_FORMAT,
                 "line 2 has 1 fields, line 1 has 30001");
    dl_text_free(&text);
}

static void survives_corruption(void **state) {
    (void)state;
    static const char text[] = "\"a\";b\n1;2.5\r\n\n-3e2;nan\n";
    for (int64_t length = 1; length < (int64_t)sizeof text; length++)
        load_copy(load, text, length);
    flip_every_bit(load, text, sizeof text - 1);
    assert_survives_lack_of_memory(load_text(text), true);
}

static void round_trips_bit_for_bit(void **state) {
    (void)state;
    const float f32[] = {1.0f / 3, FLT_MIN, FLT_MAX, -0.0f, 16777217.0f, FLT_TRUE_MIN};
    const double f64[] = {1.0 / 3, DBL_MIN, DBL_MAX, -0.0, 4.9e-324, 0.1};
    const uint8_t u8[] = {0, 1, 255};
    dltf_array *array = NULL;
    const char *path = in_directory("a.csv");
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(f32, 2, 3), path), DLTF_OK);
    assert_int_equal(dltf_array_load(path, &array), DLTF_OK);
    for (int i = 0; i < 6; i++) {
        float back = (float)((const double *)array->matrix.data)[i];
        assert_memory_equal(&back, &f32[i], sizeof back);
    }
    dltf_array_free(array);
    assert_int_equal(dltf_matrix_save(dltf_matrix_f64(f64, 3, 2), path), DLTF_OK);
    assert_int_equal(dltf_array_load(path, &array), DLTF_OK);
    assert_memory_equal(array->matrix.data, f64, sizeof f64);
    dltf_array_free(array);
    assert_int_equal(dltf_matrix_save(dltf_matrix_u8(u8, 1, 3), path), DLTF_OK);
    dl_text text = read_back(path);
    assert_string_equal(text.data, "0,1,255\n");
    dl_text_free(&text);
    assert_survives_lack_of_memory(dltf_matrix_save(dltf_matrix_u8(u8, 1, 3), in_directory("b.csv")),
                                   access(in_directory("b.csv"), F_OK) != 0);
}

/* A locale with decimal commas, if installed, must not matter. */
static void ignores_the_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    assert_numbers("1.5,0.1000000000000000055511151231257827\n", 1, 2, (double[]){1.5, 0.1});
    const double half = 0.5;
    assert_int_equal(dltf_matrix_save(dltf_matrix_f64(&half, 1, 1), in_directory("l.csv")), DLTF_OK);
    dl_text text = read_back(in_directory("l.csv"));
    assert_string_equal(text.data, "0.5\n");
    dl_text_free(&text);
    setlocale(LC_ALL, "C");
}

IO_TESTS_MAIN(cmocka_unit_test(reads_every_separator), cmocka_unit_test(reads_numbers_exactly),
              cmocka_unit_test(fast_path_agrees_with_strtod), cmocka_unit_test(names_line_and_field),
              cmocka_unit_test(a_wide_first_line_takes_no_memory), cmocka_unit_test(survives_corruption),
              cmocka_unit_test(round_trips_bit_for_bit), cmocka_unit_test(ignores_the_locale))
