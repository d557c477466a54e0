/* Sets of images: folders, single images, CIFAR-10 and IDX; their GIST; labels of CIFAR-10. */
#include "test_io.h"

#include "data/array.h"
#include "image/image.h"
#include "io/formats/cifar.h"

enum { RECORD = 3073 };

static dltf_status load(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_cifar_load(file, &array);
    dltf_array_free(array);
    return status;
}

/* Value i of image j. */
static uint8_t value_of(int j, int i) {
    return (uint8_t)(7 * i + i / 1024 + 13 * j);
}

static uint8_t *cifar_bytes(int count) {
    uint8_t *bytes = malloc((size_t)count * RECORD);
    assert_non_null(bytes);
    for (int i = 0; i < count * RECORD; i++)
        bytes[i] = i % RECORD == 0 ? (uint8_t)(9 - i / RECORD % 10) : value_of(i / RECORD, i % RECORD - 1);
    return bytes;
}

static const char *write_cifar(const char *name, int count) {
    uint8_t *bytes = cifar_bytes(count);
    const char *path = in_directory(name);
    write_file(path, bytes, count * RECORD);
    free(bytes);
    return path;
}

/* ---- CIFAR-10 ---- */

static void cifar_is_a_matrix_with_labels(void **state) {
    (void)state;
    const char *path = write_cifar("batch.bin", 3);
    dltf_array *array = NULL;
    dltf_labels *labels = NULL;
    int64_t count = 0;
    float row[RECORD - 1];
    assert_int_equal(dltf_array_load(path, &array), DLTF_OK);
    assert_non_null(array->mapping); /* not copied */
    assert_int_equal(array->matrix.rows, 3);
    assert_int_equal(array->matrix.cols, RECORD - 1);
    for (int j = 0; j < 3; j++) {
        dltf_matrix_row(array->matrix, j, row);
        for (int i = 0; i < RECORD - 1; i++)
            assert_true(row[i] == (float)value_of(j, i));
    }
    assert_int_equal(dltf_labels_load(path, &labels), DLTF_OK);
    const int64_t *values = dltf_labels_get(labels, &count);
    assert_int_equal(count, 3);
    for (int j = 0; j < 3; j++)
        assert_int_equal(values[j], 9 - j);
    dltf_labels_free(labels);
    dltf_array_free(array);
}

static void corrupt_cifar_is_rejected(void **state) {
    (void)state;
    uint8_t *bytes = cifar_bytes(2);
    assert_int_equal(load_copy(load, bytes, 2 * RECORD), DLTF_OK);
    assert_fails(load_copy(load, bytes, RECORD - 1), DLTF_FORMAT,
                 "is not a CIFAR-10 file: its size, 3,072 bytes, is not a multiple of 3,073");
    assert_fails(load_copy(load, bytes, RECORD + 1), DLTF_FORMAT, "3,074 bytes");
    assert_survives_lack_of_memory(load_copy(load, bytes, 2 * RECORD), true);
    bytes[RECORD] = 10;
    assert_fails(load_copy(load, bytes, 2 * RECORD), DLTF_FORMAT, "record 1 (counting from 0) has label 10");
    write_file(in_directory("odd.bin"), bytes, 100);
    dltf_labels *labels = NULL;
    assert_fails(dltf_labels_load(in_directory("odd.bin"), &labels), DLTF_FORMAT,
                 "odd.bin: is not a CIFAR-10 file");
    assert_fails(dltf_labels_load(in_directory("none.bin"), &labels), DLTF_FILE, "none.bin: cannot open");
    free(bytes);
}

/* ---- Sets ---- */

static dltf_image_set *opened(const char *path) {
    dltf_image_set *set = NULL;
    if (dltf_image_set_open(&path, 1, &set) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return set;
}

static dltf_image *loaded(const dltf_image_set *set, int64_t index) {
    dltf_image *image = NULL;
    if (dltf_image_set_load(set, index, &image) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return image;
}

static void assert_set_fails(const char *path, dltf_status wanted, const char *part) {
    dltf_image_set *set = NULL;
    assert_fails(dltf_image_set_open(&path, 1, &set), wanted, part);
    assert_null(set);
}

static void reads_cifar(void **state) {
    (void)state;
    dltf_image_set *set = opened(write_cifar("batch.bin", 3));
    assert_int_equal(dltf_image_set_count(set), 3);
    dltf_image *image = loaded(set, 2);
    assert_true(image->width == 32 && image->height == 32 && image->channels == 3);
    for (int i = 0; i < RECORD - 1; i++)
        assert_true(image->planes[i] == (float)value_of(2, i));
    dltf_image_free(image);
    assert_fails(dltf_image_set_load(set, 3, &image), DLTF_ARGUMENT, "image 3 of 3 does not exist");
    assert_fails(dltf_image_set_load(set, -1, &image), DLTF_ARGUMENT, "image -1");
    dltf_image_set_free(set);
}

static void reads_idx_with_three_axes(void **state) {
    (void)state;
    static const uint8_t images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
    static const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 2};
    static const uint8_t not_a_number[] = {0, 0, 13, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0x7f, 0xc0, 0, 0};
    write_file(in_directory("images.idx"), images, sizeof images);
    write_file(in_directory("labels.idx"), labels, sizeof labels);
    write_file(in_directory("nan.idx"), not_a_number, sizeof not_a_number);
    dltf_image_set *set = opened(in_directory("images.idx"));
    assert_int_equal(dltf_image_set_count(set), 2);
    dltf_image *image = loaded(set, 1);
    assert_true(image->width == 3 && image->height == 1 && image->channels == 1);
    assert_true(image->planes[0] == 4 && image->planes[2] == 6);
    dltf_image_free(image);
    dltf_image_set_free(set);
    assert_set_fails(in_directory("labels.idx"), DLTF_FORMAT,
                     "labels.idx: does not contain images: expected");
    set = opened(in_directory("nan.idx"));
    assert_fails(dltf_image_set_load(set, 0, &image), DLTF_DATA, "nan.idx: row 0, column 0 is NaN");
    assert_null(image);
    dltf_image_set_free(set);
}

/* A folder below the test directory, which only has files: emptied and removed by the caller. */
static const char *make_folder(void) {
    const char *path = in_directory("folder");
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

static void remove_folder(const char *const *names) {
    for (; *names; names++) {
        char name[100];
        snprintf(name, sizeof name, "folder/%s", *names);
        assert_int_equal(remove(in_directory(name)), 0);
    }
    assert_int_equal(rmdir(in_directory("folder")), 0);
}

/* Bytewise: digits, capitals, small letters; "10" before "2". */
static void reads_folders_in_bytewise_order(void **state) {
    (void)state;
    static const char *const names[] = {"folder/10.pgm", "folder/2.pgm", "folder/B.PGM", "folder/a.ppm"};
    make_folder();
    for (int i = 3; i >= 0; i--) {
        char text[40];
        snprintf(text, sizeof text, "P%d 1 1 255 %c%c%c", i == 3 ? 6 : 5, i + 1, i + 1, i + 1);
        write_file(in_directory(names[i]), text, i == 3 ? 14 : 12);
    }
    write_file(in_directory("folder/notes.txt"), "no image", 8);
    write_file(in_directory("folder/gist.npy"), "no image", 8);
    write_file(in_directory("folder/.hidden.png"), "no image", 8);
    dltf_image_set *set = opened(in_directory("folder"));
    assert_int_equal(dltf_image_set_count(set), 4);
    for (int i = 0; i < 4; i++) {
        dltf_image *image = loaded(set, i);
        assert_true(image->planes[0] == (float)(i + 1));
        assert_int_equal(image->channels, i == 3 ? 3 : 1);
        dltf_image_free(image);
    }
    dltf_image_set_free(set);
    const char *path = in_directory("folder");
    assert_survives_lack_of_memory(dltf_image_set_open(&path, 1, &set), set == NULL);
    dltf_image_set_free(set);
    remove_folder((const char *const[]){"10.pgm", "2.pgm", "B.PGM", "a.ppm", "notes.txt", "gist.npy",
                                        ".hidden.png", NULL});
}

static void reads_a_single_image(void **state) {
    (void)state;
    write_file(in_directory("one.pgm"), "P5 2 1 255 ab", 13);
    dltf_image_set *set = opened(in_directory("one.pgm"));
    assert_int_equal(dltf_image_set_count(set), 1);
    for (int repeat = 0; repeat < 2; repeat++) {
        dltf_image *image = loaded(set, 0);
        assert_true(image->planes[0] == 'a' && image->planes[1] == 'b');
        dltf_image_free(image);
    }
    dltf_image_set_free(set);
}

/* Parts of every kind, a folder among them, in the order given. */
static void reads_several_paths(void **state) {
    (void)state;
    static const uint8_t idx[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 50, 51};
    make_folder();
    write_file(in_directory("folder/b.pgm"), "P5 1 1 255 b", 12);
    write_file(in_directory("folder/a.pgm"), "P5 1 1 255 a", 12);
    write_file(in_directory("z.pgm"), "P5 1 1 255 z", 12);
    write_file(in_directory("images.idx"), idx, sizeof idx);
    const char *paths[] = {in_directory("z.pgm"), in_directory("folder"), in_directory("images.idx"),
                           write_cifar("batch.bin", 2)};
    const float first[] = {'z', 'a', 'b', 50, 51, (float)value_of(0, 0), (float)value_of(1, 0)};
    dltf_image_set *set = NULL;
    assert_int_equal(dltf_image_set_open(paths, 4, &set), DLTF_OK);
    assert_int_equal(dltf_image_set_count(set), 7);
    for (int i = 0; i < 7; i++) {
        dltf_image *image = loaded(set, i);
        assert_true(image->planes[0] == first[i]);
        dltf_image_free(image);
    }
    int64_t labels[7];
    assert_fails(dltf_image_set_labels(set, labels), DLTF_DATA, "z.pgm: has no labels");
    dltf_image_set_free(set);
    assert_survives_lack_of_memory(dltf_image_set_open(paths, 4, &set), set == NULL);
    dltf_image_set_free(set);
    remove_folder((const char *const[]){"a.pgm", "b.pgm", NULL});
}

static void labels_of_several_files(void **state) {
    (void)state;
    const char *paths[] = {write_cifar("one.bin", 1), write_cifar("two.bin", 2)};
    dltf_image_set *set = NULL;
    int64_t labels[3] = {0};
    assert_int_equal(dltf_image_set_open(paths, 2, &set), DLTF_OK);
    assert_int_equal(dltf_image_set_labels(set, labels), DLTF_OK);
    assert_true(labels[0] == 9 && labels[1] == 9 && labels[2] == 8);
    write_cifar("two.bin", 3);
    assert_fails(dltf_image_set_labels(set, labels), DLTF_FILE, "two.bin: changed while it was in use");
    dltf_image_set_free(set);
}

static void reads_an_image_from_a_pipe(void **state) {
    (void)state;
    int ends[2];
    char path[40];
    const char *name = path;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "P5 1 1 255 a", 12), 12);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    dltf_image_set *set = NULL;
    assert_int_equal(dltf_image_set_open(&name, 1, &set), DLTF_OK);
    for (int repeat = 0; repeat < 2; repeat++) {
        dltf_image *image = loaded(set, 0);
        assert_true(image->planes[0] == 'a');
        dltf_image_free(image);
    }
    dltf_image_set_free(set);
    close(ends[0]);
}

static void says_what_is_wrong(void **state) {
    (void)state;
    make_folder();
    assert_set_fails(in_directory("folder"), DLTF_DATA,
                     "folder: is a folder without images: expected .png, .pgm, .ppm or .jpg files");
    remove_folder((const char *const[]){NULL});
    assert_set_fails(in_directory("none"), DLTF_FILE, "none: cannot open: No such file");
    assert_set_fails("", DLTF_ARGUMENT, "no file name");
    write_file(in_directory("x.csv"), "1,2\n", 4);
    assert_set_fails(in_directory("x.csv"), DLTF_FORMAT, "x.csv: does not contain images");
    write_file(in_directory("x.bin"), "1,2\n", 4);
    assert_set_fails(in_directory("x.bin"), DLTF_FORMAT, "x.bin: is not a CIFAR-10 file");
    write_file(in_directory("x.tiff"), "II*", 3);
    assert_set_fails(in_directory("x.tiff"), DLTF_FORMAT, "x.tiff: unrecognised format");
    write_file(in_directory("x.png"), "P5 2 2 255 ab", 13);
    dltf_image_set *set = opened(in_directory("x.png"));
    dltf_image *image = NULL;
    assert_fails(dltf_image_set_load(set, 0, &image), DLTF_FORMAT, "x.png: truncated");
    dltf_image_set_free(set);
    dltf_image_set_free(NULL);
}

/* ---- GIST of sets ---- */

static void gist_of_a_set_is_that_of_its_matrix(void **state) {
    (void)state;
    const char *path = write_cifar("batch.bin", 3);
    dltf_image_set *set = opened(path);
    dltf_array *array = NULL;
    dltf_gist_options o = dltf_gist_options_default();
    float a[3 * DLTF_GIST_SIZE], b[3 * DLTF_GIST_SIZE];
    assert_int_equal(dltf_array_load(path, &array), DLTF_OK);
    assert_int_equal(dltf_gist(dltf_array_matrix(array), 32, 32, &o, NULL, NULL, a), DLTF_OK);
    for (o.threads = 1; o.threads <= 3; o.threads++) {
        memset(b, 0, sizeof b);
        assert_int_equal(dltf_image_set_gist(set, &o, NULL, NULL, b), DLTF_OK);
        assert_memory_equal(a, b, sizeof a);
    }
    dltf_array_free(array);
    dltf_image_set_free(set);
}

/* The message of an image that failed on another thread, of the first one in order. */
static void names_the_image_that_cannot_be_read(void **state) {
    (void)state;
    make_folder();
    for (char name[] = "folder/0.pgm"; name[7] < '8'; name[7]++)
        write_file(in_directory(name), "P5 1 1 255 a", name[7] == '5' || name[7] == '7' ? 8 : 12);
    dltf_image_set *set = opened(in_directory("folder"));
    dltf_gist_options o = dltf_gist_options_default();
    float out[8 * DLTF_GIST_SIZE];
    for (o.threads = 1; o.threads <= 3; o.threads++)
        assert_fails(dltf_image_set_gist(set, &o, NULL, NULL, out), DLTF_FORMAT, "folder/5.pgm: truncated");
    dltf_image_set_free(set);
    remove_folder(
        (const char *const[]){"0.pgm", "1.pgm", "2.pgm", "3.pgm", "4.pgm", "5.pgm", "6.pgm", "7.pgm", NULL});
}

IO_TESTS_MAIN(cmocka_unit_test(cifar_is_a_matrix_with_labels), cmocka_unit_test(corrupt_cifar_is_rejected),
              cmocka_unit_test(reads_cifar), cmocka_unit_test(reads_idx_with_three_axes),
              cmocka_unit_test(reads_folders_in_bytewise_order), cmocka_unit_test(reads_a_single_image),
              cmocka_unit_test(reads_several_paths), cmocka_unit_test(labels_of_several_files),
              cmocka_unit_test(reads_an_image_from_a_pipe), cmocka_unit_test(says_what_is_wrong),
              cmocka_unit_test(gist_of_a_set_is_that_of_its_matrix),
              cmocka_unit_test(names_the_image_that_cannot_be_read))
