/* dltf_array_load: the format is found by content first, by name for text. */
#include "test_io.h"

#include "data/array.h"

static void content_decides(void **state) {
    (void)state;
    float number = 3;
    dltf_array *array = NULL;
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(&number, 1, 1), in_directory("x")), DLTF_OK);
    assert_int_equal(rename(in_directory("x"), in_directory("x.csv")), 0);
    assert_int_equal(dltf_array_load(in_directory("x.csv"), &array), DLTF_OK);
    assert_int_equal(array->matrix.type, DLTF_F32);
    dltf_array_free(array);
    static const char *const texts[] = {"t.csv", "t.TSV", "t.txt"};
    for (int i = 0; i < 3; i++) {
        write_file(in_directory(texts[i]), "1 2\n", 4);
        assert_int_equal(dltf_array_load(in_directory(texts[i]), &array), DLTF_OK);
        assert_int_equal(array->matrix.cols, 2);
        dltf_array_free(array);
    }
}

static void says_what_is_read(void **state) {
    (void)state;
    dltf_array *array = NULL;
    write_file(in_directory("a.dat"), "1 2\n", 4);
    assert_fails(dltf_array_load(in_directory("a.dat"), &array), DLTF_FORMAT,
                 "a.dat: has a format that is not known; .npy, .npz, .csv, IDX and IDX.gz are read");
    write_file(in_directory("a.npy"), "1 2\n", 4);
    assert_fails(dltf_array_load(in_directory("a.npy"), &array), DLTF_FORMAT, "not a .npy file");
    write_file(in_directory("a.npz"), "1 2\n", 4);
    assert_fails(dltf_array_load(in_directory("a.npz:x"), &array), DLTF_FORMAT,
                 "a.npz: is not a .npz archive");
    assert_fails(dltf_array_load(in_directory("none.npz:x"), &array), DLTF_FILE, "none.npz: cannot open");
    assert_fails(dltf_array_load(in_directory("none"), &array), DLTF_FILE, "none: cannot open: No such file");
    assert_fails(dltf_array_load(test_directory, &array), DLTF_FILE, "is a directory");
    assert_fails(dltf_array_load(NULL, &array), DLTF_ARGUMENT, "no file name");
    assert_fails(dltf_array_load("", &array), DLTF_ARGUMENT, "no file name");
    write_file(in_directory("e.npy"), "", 0);
    assert_fails(dltf_array_load(in_directory("e.npy"), &array), DLTF_FORMAT, "e.npy: is empty");
    assert_null(array);
}

/* A file whose own name looks like archive and member is a file. */
static void a_colon_may_be_part_of_a_name(void **state) {
    (void)state;
    dltf_array *array = NULL;
    float number = 3;
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(&number, 1, 1), in_directory("odd.npz:x")), DLTF_OK);
    assert_int_equal(dltf_array_load(in_directory("odd.npz:x"), &array), DLTF_OK);
    dltf_array_free(array);
}

static void freeing_nothing_is_fine(void **state) {
    (void)state;
    dltf_array_free(NULL);
}

IO_TESTS_MAIN(cmocka_unit_test(content_decides), cmocka_unit_test(says_what_is_read),
              cmocka_unit_test(a_colon_may_be_part_of_a_name), cmocka_unit_test(freeing_nothing_is_fine))
