/* .npz: stored and deflated members, ZIP64, and inconsistent archives. */
#include "test_io.h"

#include "data/array.h"
#include "io/formats/npy.h"
#include "io/formats/npz.h"

static dltf_status load(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_npz_load(file, NULL, &array);
    dltf_array_free(array);
    return status;
}

static dl_text matrix_file(float first) {
    return npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }", ((float[]){first, 2, 3}),
                     12);
}

static dl_text one_member(bool packed, const char *comment) {
    return zip_bytes((made_member[]){{"x.npy", matrix_file(1), packed}}, 1, comment);
}

static dltf_status load_text(dl_text zip, const char *name, float *first) {
    dltf_array *array = NULL;
    dl_file file = dl_file_borrow(zip.data, zip.length);
    dltf_status status = dl_npz_load(&file, name, &array);
    if (status == DLTF_OK)
        *first = ((const float *)array->matrix.data)[0];
    dltf_array_free(array);
    return status;
}

static void reads_stored_and_deflated(void **state) {
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        float first = 0;
        dl_text zip = one_member(packed, packed ? "a comment PK\5\6 in between" : "");
        assert_int_equal(load_text(zip, NULL, &first), DLTF_OK);
        assert_true(first == 1);
        dl_text_free(&zip);
    }
}

static void chooses_by_name(void **state) {
    (void)state;
    float first = 0;
    made_member members[] = {
        {"a.npy", matrix_file(7), false}, {"b.npy", matrix_file(8), true}, {"note.txt", {0}, false}};
    dl_text zip = zip_bytes(members, 3, "");
    assert_fails(load_text(zip, NULL, &first), DLTF_FORMAT, "contains several arrays ('a', 'b')");
    assert_fails(load_text(zip, NULL, &first), DLTF_FORMAT, ".npz:NAME");
    assert_fails(load_text(zip, "c", &first), DLTF_FORMAT,
                 "array 'c' not found; the archive contains 'a', 'b'");
    assert_int_equal(load_text(zip, "b", &first), DLTF_OK);
    assert_true(first == 8);
    dltf_array *array = NULL;
    write_file(in_directory("two.npz"), zip.data, zip.length);
    assert_int_equal(dltf_array_load(in_directory("two.npz:a"), &array), DLTF_OK);
    assert_true(((const float *)array->matrix.data)[0] == 7);
    dltf_array_free(array);
    assert_fails(dltf_array_load(in_directory("two.npz"), &array), DLTF_FORMAT, "two.npz: contains several");
    assert_fails(dltf_array_load(in_directory("two.npz:"), &array), DLTF_FORMAT, "array '' not found");
    dl_text_free(&zip);
    zip = zip_bytes((made_member[]){{"note.txt", {0}, false}}, 1, "");
    assert_fails(load_text(zip, NULL, &first), DLTF_FORMAT, "contains no arrays");
    dl_text_free(&zip);
    zip = zip_bytes(NULL, 0, "");
    assert_fails(load_text(zip, NULL, &first), DLTF_FORMAT, "contains no arrays");
    dl_text_free(&zip);
}

static void lists_many_names_in_a_bounded_message(void **state) {
    (void)state;
    enum { MANY = 60 };
    made_member members[MANY];
    char names[MANY][80];
    float first;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "an_array_with_a_long_name_that_goes_on_and_on_and_on_%d.npy", i);
        members[i] = (made_member){names[i], matrix_file(1), false};
    }
    dl_text zip = zip_bytes(members, MANY, "");
    assert_fails(load_text(zip, NULL, &first), DLTF_FORMAT, ", ...");
    assert_message_has("NAME");
    dl_text_free(&zip);
}

static void survives_corruption(void **state) {
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        dl_text zip = one_member(packed, "");
        assert_truncation_fails(load, zip.data, zip.length);
        flip_every_bit(load, zip.data, zip.length);
        assert_survives_lack_of_memory(load_copy(load, zip.data, zip.length), true);
        dl_text_free(&zip);
    }
}

/* Overwrites `size` bytes at offset `at` from the first `mark`; the archive must fail with `part`. */
static void assert_change_fails(bool packed, const char *mark, int64_t at, uint64_t value, int size,
                                const char *part) {
    dl_text zip = one_member(packed, "");
    int64_t place = find_bytes(zip, mark, 4, 0);
    dl_put_little((uint8_t *)zip.data + place + at, value, size);
    assert_fails(load_copy(load, zip.data, zip.length), DLTF_FORMAT, part);
    dl_text_free(&zip);
}

static void rejects_inconsistent_archives(void **state) {
    (void)state;
    assert_change_fails(false, "PK\1\2", 8, 1, 2, "encrypted");
    assert_change_fails(false, "PK\1\2", 10, 12, 2, "method 12");
    assert_change_fails(false, "PK\1\2", 16, 0, 4, "checksum");
    assert_change_fails(true, "PK\1\2", 16, 0, 4, "checksum");
    assert_change_fails(false, "PK\1\2", 20, 1, 4, "wrong size");
    assert_change_fails(true, "PK\1\2", 20, 0xfffffff0, 4, "beyond the archive");
    assert_change_fails(true, "PK\1\2", 24, 0xfffffff0, 4, "larger size than its compressed data can hold");
    assert_change_fails(true, "PK\1\2", 24, 5000, 4, "less than its size");
    assert_change_fails(false, "PK\1\2", 42, 0xfffffff0, 4, "not where the directory says");
    assert_change_fails(false, "PK\3\4", 26, 3, 2, "not where the directory says");
    assert_change_fails(false, "PK\5\6", 4, 1, 2, "multi-part");
    assert_change_fails(false, "PK\5\6", 8, 0x00020002, 4, "too short");
    assert_change_fails(false, "PK\5\6", 16, 0, 4, "not where the end record says");
    assert_change_fails(false, "PK\5\6", 20, 9, 2, "end record not found");
}

/* A member that unpacks to much more than its .npy header declares: rejected by size, before unpacking. */
static void a_zip_bomb_is_rejected_unopened(void **state) {
    (void)state;
    dl_text content = matrix_file(1);
    char zeros[4096] = {0};
    for (int i = 0; i < 2000; i++)
        dl_text_append_bytes(&content, zeros, sizeof zeros);
    dl_text zip = zip_bytes((made_member[]){{"x.npy", content, true}}, 1, "");
    assert_true(zip.length < 20000);
    assert_fails(load_copy(load, zip.data, zip.length), DLTF_FORMAT,
                 "array 'x': corrupt: 8,192,000 more bytes");
    dl_text_free(&zip);
}

static void rejects_duplicates_and_overlaps(void **state) {
    (void)state;
    made_member twice[] = {{"x.npy", matrix_file(1), false}, {"x.npy", matrix_file(2), false}};
    dl_text zip = zip_bytes(twice, 2, "");
    assert_fails(load_copy(load, zip.data, zip.length), DLTF_FORMAT, "duplicate member 'x.npy'");
    /* Both entries at the same offset. */
    int64_t second = find_bytes(zip, "PK\1\2", 4, find_bytes(zip, "PK\1\2", 4, 0) + 4);
    dl_put_little((uint8_t *)zip.data + second + 42, 0, 4);
    assert_fails(load_copy(load, zip.data, zip.length), DLTF_FORMAT, "overlap");
    dl_text_free(&zip);
    zip = zip_bytes((made_member[]){{"x\n.npy", matrix_file(1), false}}, 1, "");
    assert_fails(load_copy(load, zip.data, zip.length), DLTF_FORMAT, "control characters");
    dl_text_free(&zip);
}

/* The writer with its limit lowered, so that everything is ZIP64. */
static dltf_status write_zip(const char *path, int64_t limit) {
    dl_writer out;
    dl_text content = matrix_file(5);
    dltf_status status = dl_writer_open(&out, path);
    dl_zip_writer zip = dl_zip_writer_new(&out);
    zip.limit = limit;
    if (status == DLTF_OK)
        status = dl_zip_add(&zip, "first.npy", content.data, content.length, NULL, 0);
    if (status == DLTF_OK)
        status = dl_zip_add(&zip, "x.npy", content.data, 20, content.data + 20, content.length - 20);
    if (status == DLTF_OK)
        status = dl_zip_finish(&zip);
    if (status == DLTF_OK)
        status = dl_writer_commit(&out);
    dl_writer_abort(&out);
    dl_zip_writer_free(&zip);
    dl_text_free(&content);
    return status;
}

static dltf_status load_first(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_npz_load(file, "first", &array);
    dltf_array_free(array);
    return status;
}

static void writes_and_reads_zip64(void **state) {
    (void)state;
    static const int64_t limits[] = {UINT32_MAX, 100, 0};
    for (int i = 0; i < 3; i++) {
        const char *path = in_directory("z.npz");
        float first = 0;
        assert_int_equal(write_zip(path, limits[i]), DLTF_OK);
        dl_text zip = read_back(path);
        if (load_text(zip, "x", &first) != DLTF_OK)
            fail_msg("%s", dltf_message());
        assert_true(first == 5);
        assert_truncation_fails(load_first, zip.data, zip.length);
        flip_every_bit(load_first, zip.data, zip.length);
        dl_text_free(&zip);
    }
}

static void the_same_content_gives_the_same_bytes(void **state) {
    (void)state;
    assert_int_equal(write_zip(in_directory("1.npz"), UINT32_MAX), DLTF_OK);
    assert_int_equal(write_zip(in_directory("2.npz"), UINT32_MAX), DLTF_OK);
    assert_same_files(in_directory("1.npz"), in_directory("2.npz"));
}

static void a_stored_array_stays_in_the_archive(void **state) {
    (void)state;
    /* Content begins at byte 35 of the archive: a header of 93 bytes aligns the numbers at 128. */
    char dictionary[100];
    snprintf(dictionary, sizeof dictionary, "%-82s",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }");
    dl_text zip =
        zip_bytes((made_member[]){{"x.npy", npy_bytes(dictionary, ((float[]){4, 5, 6}), 12), false}}, 1, "");
    dltf_array *array = NULL;
    write_file(in_directory("stored.npz"), zip.data, zip.length);
    assert_int_equal(dltf_array_load(in_directory("stored.npz"), &array), DLTF_OK);
    assert_non_null(array->mapping);
    assert_true(((const float *)array->matrix.data)[2] == 6);
    dltf_array_free(array);
    dl_text_free(&zip);
}

IO_TESTS_MAIN(cmocka_unit_test(reads_stored_and_deflated), cmocka_unit_test(chooses_by_name),
              cmocka_unit_test(lists_many_names_in_a_bounded_message), cmocka_unit_test(survives_corruption),
              cmocka_unit_test(rejects_inconsistent_archives),
              cmocka_unit_test(a_zip_bomb_is_rejected_unopened),
              cmocka_unit_test(rejects_duplicates_and_overlaps), cmocka_unit_test(writes_and_reads_zip64),
              cmocka_unit_test(the_same_content_gives_the_same_bytes),
              cmocka_unit_test(a_stored_array_stays_in_the_archive))
