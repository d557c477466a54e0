/* Text as people have it: chosen columns, missing values, columns of text, identifiers. */
#include "test_io.h"

#include "data/array.h"
#include "io/formats/csv.h"

#include <math.h>

/* Loads text; on success `array` is to be freed. */
static dltf_status load(const char *text, const char *columns, dl_missing missing, dltf_array **array) {
    dl_reading reading = {.columns = columns, .missing = missing};
    dl_file file = dl_file_borrow(text, (int64_t)strlen(text));
    file.reading = &reading;
    *array = NULL;
    return dl_csv_load(&file, array);
}

static void assert_table(const char *text, const char *columns, dl_missing missing, int64_t rows,
                         int64_t cols, const double *numbers, const char *remark) {
    dltf_array *array;
    if (load(text, columns, missing, &array) != DLTF_OK)
        fail_msg("%s: %s", columns ? columns : "all", dltf_message());
    assert_int_equal(array->matrix.rows, rows);
    assert_int_equal(array->matrix.cols, cols);
    for (int64_t i = 0; i < rows * cols; i++)
        assert_true(((const double *)array->matrix.data)[i] == numbers[i]);
    assert_string_equal(array->remark, remark);
    dltf_array_free(array);
}

static void columns_are_chosen_by_number_range_and_name(void **state) {
    (void)state;
    const char *text = "id,name,a,b-c,7\n1,x,2,3,4\n5,y,6,7,8\n";
    static const struct {
        const char *list;
        int64_t cols;
        double numbers[8];
    } cases[] = {
        {"3-5", 3, {2, 3, 4, 6, 7, 8}},
        {"a", 1, {2, 6}},
        {"b-c,1", 2, {1, 3, 5, 7}},
        {"-name", 4, {1, 2, 3, 4, 5, 6, 7, 8}},
        {"-1-2", 3, {2, 3, 4, 6, 7, 8}},
        {"3-5,-a", 2, {3, 4, 7, 8}},
        {"-name,-b-c", 3, {1, 2, 4, 5, 6, 8}},
        {"5,3", 2, {2, 4, 6, 8}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_table(text, cases[i].list, DL_MISSING_ERROR, 2, cases[i].cols, cases[i].numbers, "");
    assert_table("1 2 3\n4 5 6\n", "-2", DL_MISSING_ERROR, 2, 2, (double[]){1, 3, 4, 6}, "");
}

static void unknown_columns_are_errors(void **state) {
    (void)state;
    dltf_array *array;
    const char *text = "a,b\n1,2\n";
    assert_fails(load(text, "c", DL_MISSING_ERROR, &array), DLTF_ARGUMENT,
                 "columns: 'c' is not a column: expected a number from 1, a range such as 2-30, or a name");
    assert_fails(load(text, "1-3", DL_MISSING_ERROR, &array), DLTF_ARGUMENT,
                 "'1-3' is out of range: the file has 2 columns");
    assert_fails(load(text, "2-1", DL_MISSING_ERROR, &array), DLTF_ARGUMENT, "'2-1' is out of range");
    assert_fails(load(text, "0", DL_MISSING_ERROR, &array), DLTF_ARGUMENT, "'0' is not a column");
    assert_fails(load(text, "99999999999999999999", DL_MISSING_ERROR, &array), DLTF_ARGUMENT, "not a column");
    assert_fails(load(text, "a,,b", DL_MISSING_ERROR, &array), DLTF_ARGUMENT, "'' is not a column");
    assert_fails(load(text, "a,-a", DL_MISSING_ERROR, &array), DLTF_ARGUMENT, "no column is left of 2");
    assert_fails(load("1,2\n", "a", DL_MISSING_ERROR, &array), DLTF_ARGUMENT,
                 "has no names in its first line");
}

static void columns_of_text_are_named(void **state) {
    (void)state;
    dltf_array *array;
    assert_fails(load("n,colour,x y,a\n1,red,big,2\n", NULL, DL_MISSING_ERROR, &array), DLTF_FORMAT,
                 "line 2, field 2: 'red' is not a number; leave out columns with text: --columns=-colour,-3");
    assert_fails(load("a,b\n1,2\n3,red\n", NULL, DL_MISSING_ERROR, &array), DLTF_FORMAT,
                 "line 3, field 2: 'red' is not a number");
    assert_null(strstr(dltf_message(), "leave out"));
}

static void missing_values_are_dropped_or_filled(void **state) {
    (void)state;
    dltf_array *array;
    const char *text = "a,b\n1,2\n,4\n3,NA\n5,nan\n7,?\n8,0\n";
    assert_fails(load(text, NULL, DL_MISSING_ERROR, &array), DLTF_FORMAT,
                 "line 3, field 1 is empty: --missing drop leaves out such lines");
    assert_fails(load("a\nN/A\n", NULL, DL_MISSING_ERROR, &array), DLTF_FORMAT, "'N/A' is a missing value");
    assert_table(text, NULL, DL_MISSING_DROP, 2, 2, (double[]){1, 2, 8, 0},
                 "4 of 6 rows had missing values and were dropped");
    assert_table(text, NULL, DL_MISSING_MEAN, 6, 2, (double[]){1, 2, 4.8, 4, 3, 2, 5, 2, 7, 2, 8, 0},
                 "4 missing values were replaced by the mean of their column");
    assert_table(text, "a", DL_MISSING_DROP, 5, 1, (double[]){1, 3, 5, 7, 8},
                 "1 of 6 rows had missing values and were dropped");
    assert_table("NA,1\n2,3\n", NULL, DL_MISSING_DROP, 1, 2, (double[]){2, 3},
                 "1 of 2 rows had missing values and were dropped");
    assert_fails(load("a,b\n1,\n2,\n", NULL, DL_MISSING_DROP, &array), DLTF_DATA,
                 "all 2 rows have missing values: --missing mean fills them");
    assert_fails(load("a,b\n1,\n2,\n", NULL, DL_MISSING_MEAN, &array), DLTF_DATA, "column b has no values");
}

static void an_identifier_earns_a_remark(void **state) {
    (void)state;
    dl_text text = {0};
    dltf_array *array;
    dl_text_append(&text, "x,row id,y\n");
    for (int i = 0; i < 40; i++)
        dl_text_append(&text, "%d,%d,%d\n", i % 7, 100 + 3 * i, i % 5);
    assert_int_equal(load(text.data, NULL, DL_MISSING_ERROR, &array), DLTF_OK);
    assert_non_null(strstr(array->remark, "column 2 numbers the rows and has 99"));
    assert_non_null(strstr(array->remark, "leave it out with --columns=-2"));
    dltf_array_free(array);
    assert_int_equal(load(text.data, "-2", DL_MISSING_ERROR, &array), DLTF_OK);
    assert_string_equal(array->remark, "");
    dltf_array_free(array);
    dl_text_free(&text);
}

static void lack_of_memory_is_survived(void **state) {
    (void)state;
    dltf_array *array;
    assert_survives_lack_of_memory(load("a,b\n1,2\n", "b", DL_MISSING_MEAN, &array), array == NULL);
    dltf_array_free(array);
}

IO_TESTS_MAIN(cmocka_unit_test(columns_are_chosen_by_number_range_and_name),
              cmocka_unit_test(unknown_columns_are_errors), cmocka_unit_test(columns_of_text_are_named),
              cmocka_unit_test(missing_values_are_dropped_or_filled),
              cmocka_unit_test(an_identifier_earns_a_remark), cmocka_unit_test(lack_of_memory_is_survived))
