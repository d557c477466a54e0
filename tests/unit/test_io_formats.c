/* Formats: detected by content, or by extension for text; lists of formats; extensions. */
#include "test_io.h"

#include "data/array.h"
#include "io/streams/reader.h"
#include "program/program.h"

#include <unistd.h>

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

static void lists_supported_formats(void **state) {
    (void)state;
    dltf_array *array = NULL;
    write_file(in_directory("a.dat"), "1 2\n", 4);
    assert_fails(
        dltf_array_load(in_directory("a.dat"), &array), DLTF_FORMAT,
        "a.dat: unrecognised format: expected .npy, .npz, .safetensors, .safetensors.index.json, .h5, "
        ".csv, .txt, IDX, IDX.gz, CIFAR-10, .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin or .f16bin");
    write_file(in_directory("a.npy"), "1 2\n", 4);
    assert_fails(dltf_array_load(in_directory("a.npy"), &array), DLTF_FORMAT,
                 "a.npy: is corrupt or misnamed: content is not .npy");
    write_file(in_directory("a-idx3-ubyte"), "1 2\n", 4);
    assert_fails(dltf_array_load(in_directory("a-idx3-ubyte"), &array), DLTF_FORMAT,
                 "is corrupt or misnamed: content is not IDX");
    write_file(in_directory("a.npz"), "1 2\n", 4);
    assert_fails(dltf_array_load(in_directory("a.npz:x"), &array), DLTF_FORMAT,
                 "a.npz: is not an archive of several arrays: array");
    assert_fails(dltf_array_load(in_directory("none.npz:x"), &array), DLTF_FILE, "none.npz: cannot open");
    assert_fails(dltf_array_load(in_directory("none"), &array), DLTF_FILE, "none: cannot open: No such file");
    assert_fails(dltf_array_load(test_directory, &array), DLTF_FILE, "is a directory");
    assert_fails(dltf_array_load(NULL, &array), DLTF_ARGUMENT, "must not be NULL");
    assert_fails(dltf_array_load("", &array), DLTF_ARGUMENT, "no file name");
    write_file(in_directory("e.npy"), "", 0);
    assert_fails(dltf_array_load(in_directory("e.npy"), &array), DLTF_FORMAT, "e.npy: is empty");
    assert_null(array);
}

/* An existing file named like ARCHIVE:MEMBER is opened as a file. */
static void a_colon_may_be_part_of_a_name(void **state) {
    (void)state;
    dltf_array *array = NULL;
    float number = 3;
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(&number, 1, 1), in_directory("odd.npz:x")), DLTF_OK);
    assert_int_equal(dltf_array_load(in_directory("odd.npz:x"), &array), DLTF_OK);
    dltf_array_free(array);
}

static void names_in_messages(void **state) {
    (void)state;
    static const struct {
        dl_content content;
        dl_access access;
        const char *conjunction, *names;
    } cases[] = {
        {DL_CONTENT_MATRIX, DL_READ, "and",
         ".npy, .npz, .safetensors, .safetensors.index.json, .h5, .csv, .txt, IDX, IDX.gz, CIFAR-10, "
         ".fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin and .f16bin"},
        {DL_CONTENT_MATRIX, DL_WRITE, "or", ".npy, .csv or .fvecs"},
        {DL_CONTENT_MATRIX, DL_WRITE_BYTES, "or", ".npy, .csv, .fvecs or .bvecs"},
        {DL_CONTENT_INTEGERS, DL_WRITE, "or", ".npy, .csv or .ivecs"},
        {DL_CONTENT_IMAGE, DL_READ, "and", ".png, .pgm, .ppm, .jpg and .npy"},
        {DL_CONTENT_IMAGE, DL_WRITE, "or", ".png, .pgm, .ppm or .npy"},
        {DL_CONTENT_CODES, DL_READ, "or", ".npz"},
        {DL_CONTENT_MODEL, DL_WRITE, "or", ".safetensors"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(dl_format_list(cases[i].content, cases[i].access, cases[i].conjunction),
                            cases[i].names);
    dltf_reader *reader = NULL;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "1 2\n", 4), 4);
    close(ends[1]);
    assert_fails(
        dl_reader_adopt(ends[0], "stream", 0, NULL, &reader), DLTF_FORMAT,
        "unrecognised format: expected a stream of .fvecs, .npy, .npz, .safetensors, .h5, IDX or IDX.gz");
}

static void extensions_of_paths(void **state) {
    (void)state;
    static const struct {
        dl_content content;
        dl_access access;
        const char *path, *extension;
    } cases[] = {{DL_CONTENT_MATRIX, DL_READ, "a/b.npy", ".npy"},
                 {DL_CONTENT_MATRIX, DL_READ, "b.TSV", ".TSV"},
                 {DL_CONTENT_MATRIX, DL_READ, "train-idx3-ubyte", "-idx3-ubyte"}, /* the longest match */
                 {DL_CONTENT_MATRIX, DL_READ, "labels-ubyte", "-ubyte"},
                 {DL_CONTENT_MATRIX, DL_READ, "train-idx3-ubyte.gz", ".gz"},
                 {DL_CONTENT_MATRIX, DL_WRITE, "b.csv", ".csv"},
                 {DL_CONTENT_MATRIX, DL_WRITE, "b.txt", NULL}, /* read only */
                 {DL_CONTENT_MATRIX, DL_WRITE, "b.npz", NULL},
                 {DL_CONTENT_MATRIX, DL_WRITE, "b.bvecs", NULL},
                 {DL_CONTENT_MATRIX, DL_WRITE_BYTES, "b.bvecs", ".bvecs"},
                 {DL_CONTENT_MATRIX, DL_WRITE, "b.ivecs", NULL},
                 {DL_CONTENT_INTEGERS, DL_WRITE, "b.ivecs", ".ivecs"},
                 {DL_CONTENT_INTEGERS, DL_WRITE, "b.fvecs", NULL},
                 {DL_CONTENT_MATRIX, DL_READ, "b.png", NULL},
                 {DL_CONTENT_MATRIX, DL_READ, ".npy", NULL}, /* no base name */
                 {DL_CONTENT_MATRIX, DL_READ, "", NULL},
                 {DL_CONTENT_IMAGE, DL_WRITE, "b.pnm", ".pnm"},
                 {DL_CONTENT_IMAGE, DL_READ, "b.jpg", ".jpg"},
                 {DL_CONTENT_IMAGE, DL_WRITE, "b.jpg", NULL},
                 {DL_CONTENT_IMAGE, DL_READ, "b.gif", NULL},
                 {DL_CONTENT_CODES, DL_READ, "b.codes.npz", ".npz"},
                 {DL_CONTENT_MODEL, DL_READ, "b.model.safetensors", ".safetensors"},
                 {DL_CONTENT_MODEL, DL_READ, "b.safetensors.checkpoint", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = dl_format_extension(cases[i].content, cases[i].access, cases[i].path);
        if (cases[i].extension)
            assert_string_equal(found, cases[i].extension);
        else
            assert_null(found);
    }
}

static void arrays_in_archives(void **state) {
    (void)state;
    float number = 3;
    assert_string_equal(dl_array_member("none/a.npz:train"), "train");
    assert_string_equal(dl_array_member("a.npz:b.npz:c"), "c");
    assert_null(dl_array_member("a.npz"));
    assert_null(dl_array_member("a.npy:train"));
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(&number, 1, 1), in_directory("file.npz:x")), DLTF_OK);
    assert_null(dl_array_member(in_directory("file.npz:x")));
}

static void freeing_nothing_is_fine(void **state) {
    (void)state;
    dltf_array_free(NULL);
}

IO_TESTS_MAIN(cmocka_unit_test(content_decides), cmocka_unit_test(lists_supported_formats),
              cmocka_unit_test(a_colon_may_be_part_of_a_name), cmocka_unit_test(names_in_messages),
              cmocka_unit_test(extensions_of_paths), cmocka_unit_test(arrays_in_archives),
              cmocka_unit_test(freeing_nothing_is_fine))
