/* safetensors: round trips, and headers that do not account for every byte. */
#include "test_io.h"

#include "io/formats/safetensors.h"

#include <jansson.h>

static dltf_status load(dl_file *file) {
    dl_bundle bundle;
    dltf_status status = dl_safetensors_parse(file->bytes, file->size, &bundle);
    if (status != DLTF_OK)
        assert_true(bundle.count == 0 && bundle.notes.count == 0);
    dl_bundle_free(&bundle);
    return status;
}

static dl_bundle example(void) {
    dl_bundle b = {0};
    assert_int_equal(dl_bundle_add_copy(&b, "floats", DL_TENSOR_F32, 2, 3, (float[]){1, 2, 3, 4, 5, 6}),
                     DLTF_OK);
    assert_int_equal(dl_bundle_add_copy(&b, "bytes", DL_TENSOR_U8, 3, 0, "abc"), DLTF_OK);
    assert_int_equal(dl_bundle_add_copy(&b, "wide", DL_TENSOR_I64, 1, 0, (int64_t[]){-7}), DLTF_OK);
    assert_int_equal(dl_bundle_add_copy(&b, "narrow", DL_TENSOR_I32, 1, 1, (int32_t[]){9}), DLTF_OK);
    assert_int_equal(dl_bundle_add_copy(&b, "doubles", DL_TENSOR_F64, 1, 2, (double[]){0.5, 0.25}), DLTF_OK);
    assert_int_equal(dl_notes_set(&b.notes, "zeta", "last \"quoted\" \xc3\xa4\n"), DLTF_OK);
    assert_int_equal(dl_notes_set(&b.notes, "alpha", ""), DLTF_OK);
    return b;
}

static void round_trip(void **state) {
    (void)state;
    dl_bundle b = example(), back;
    assert_int_equal(dl_safetensors_save(&b, in_directory("a.safetensors")), DLTF_OK);
    assert_int_equal(dl_safetensors_load(in_directory("a.safetensors"), &back), DLTF_OK);
    assert_int_equal(back.count, b.count);
    for (int i = 0; i < b.count; i++) {
        const dl_tensor *left = &b.tensors[i], *right = &back.tensors[i];
        assert_string_equal(left->name, right->name);
        assert_int_equal(left->type, right->type);
        assert_int_equal(left->rank, right->rank);
        assert_int_equal(left->rows, right->rows);
        assert_int_equal(left->cols, right->cols);
        assert_memory_equal(left->data, right->data, (size_t)dl_tensor_bytes(left));
    }
    assert_string_equal(dl_notes_get(&back.notes, "zeta"), "last \"quoted\" \xc3\xa4\n");
    assert_string_equal(dl_notes_get(&back.notes, "alpha"), "");
    assert_int_equal(dl_safetensors_save(&back, in_directory("b.safetensors")), DLTF_OK);
    assert_same_files(in_directory("a.safetensors"), in_directory("b.safetensors"));
    dl_text file = read_back(in_directory("a.safetensors"));
    assert_int_equal(dl_little64((uint8_t *)file.data) % 8, 0);
    dl_text_free(&file);
    dl_bundle_free(&b);
    dl_bundle_free(&back);
}

static void survives_corruption(void **state) {
    (void)state;
    dl_bundle b = example();
    const char *path = in_directory("memory.safetensors");
    assert_survives_lack_of_memory(dl_safetensors_save(&b, path), access(path, F_OK) != 0);
    dl_text file = read_back(path);
    assert_truncation_fails(load, file.data, file.length);
    flip_every_bit(load, file.data, file.length);
    assert_survives_lack_of_memory(load_copy(load, file.data, file.length), true);
    dl_text_free(&file);
    dl_bundle_free(&b);
}

static dltf_status load_header(const char *header, int64_t data_size) {
    char zeros[64] = {0};
    dl_text file = {0};
    put(&file, strlen(header), 8);
    dl_text_append(&file, "%s", header);
    dl_text_append_bytes(&file, zeros, data_size);
    dltf_status status = load_copy(load, file.data, file.length);
    dl_text_free(&file);
    return status;
}

#define TENSOR(name, type, shape, from, to)                                                                  \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":[" from "," to "]}"

static void reads_foreign_headers(void **state) {
    (void)state;
    assert_int_equal(load_header("{}", 0), DLTF_OK);
    assert_int_equal(
        load_header("{" TENSOR("b", "F32", "[2]", "8", "16") "," TENSOR("a", "F32", "[1,2]", "0", "8") "}  ",
                    16),
        DLTF_OK);
}

static void rejects_inconsistent_headers(void **state) {
    (void)state;
    static const struct {
        const char *header;
        int64_t data_size;
        const char *part;
    } cases[] = {
        {"{" TENSOR("a", "F32", "[2]", "0", "8") "," TENSOR("b", "F32", "[2]", "4", "12") "}", 12,
         "'b' overlaps"},
        {"{" TENSOR("a", "F32", "[2]", "0", "8") "," TENSOR("b", "F32", "[2]", "0", "8") "}", 8, "overlaps"},
        {"{" TENSOR("a", "F32", "[2]", "0", "8") "," TENSOR("b", "F32", "[2]", "9", "17") "}", 17,
         "'b' is preceded by a gap"},
        {"{" TENSOR("a", "F32", "[2]", "0", "8") "}", 9, "1 more bytes than"},
        {"{" TENSOR("a", "F32", "[2]", "0", "8") "}", 7,
         "truncated: tensor 'a' ends at byte 8 of the data, file has 7"},
        {"{" TENSOR("a", "F32", "[3]", "0", "8") "}", 8, "do not match its shape"},
        {"{" TENSOR("a", "F32", "[4294967296,4294967296]", "0", "0") "}", 0, "do not match its shape"},
        {"{" TENSOR("a", "F32", "[-2]", "0", "8") "}", 8, "shape other than"},
        {"{" TENSOR("a", "F32", "[2.0]", "0", "8") "}", 8, "shape other than"},
        {"{" TENSOR("a", "F32", "[]", "0", "4") "}", 4, "shape other than"},
        {"{" TENSOR("a", "F32", "[1,1,1]", "0", "4") "}", 4, "shape other than"},
        {"{" TENSOR("a", "F32", "2", "0", "8") "}", 8, "shape other than"},
        {"{" TENSOR("a", "F32", "[0]", "0", "0") "}", 0, "no elements"},
        {"{" TENSOR("a", "F32", "[2]", "8", "0") "}", 8, "invalid data_offsets"},
        {"{" TENSOR("a", "F32", "[2]", "-8", "0") "}", 8, "invalid data_offsets"},
        {"{" TENSOR("a", "F8_E4M3", "[4]", "0", "4") "}", 4, "unsupported type: expected F32"},
        {"{" TENSOR("a", "F32", "[1]", "0", "4") "," TENSOR("a", "F32", "[1]", "4", "8") "}", 8, "duplicate"},
        {"{" TENSOR("a\\n", "F32", "[1]", "0", "4") "}", 4, "unprintable"},
        {"{" TENSOR("a_name_that_is_much_longer_than_any_tensor_of_ours", "F32", "[1]", "0", "4") "}", 4,
         "too long"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "must have dtype"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"x\":[0,4]}}", 4, "invalid data_offsets"},
        {"{\"a\":7}", 0, "must have dtype"},
        {"{\"__metadata__\":{\"a\":7}}", 0, "only strings"},
        {"{\"__metadata__\":[]}", 0, "must be an object"},
        {"{\"a\"", 0, "corrupt header"},
        {"{} x", 0, "corrupt header"},
        {"[1, 2]", 0, "not a safetensors file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_fails(load_header(cases[i].header, cases[i].data_size), DLTF_FORMAT, cases[i].part);
    assert_fails(load_copy(load, "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), DLTF_FORMAT,
                 "not a safetensors file");
    assert_fails(load_copy(load, "\xff\0\0\0\0\0\0\0{}", 10), DLTF_FORMAT, "header length is");
    assert_fails(load_copy(load, "\2", 1), DLTF_FORMAT, "truncated");
}

static void *no_memory(size_t size) {
    (void)size;
    return NULL;
}

static void lack_of_memory_in_the_parser(void **state) {
    (void)state;
    json_malloc_t allocate;
    json_free_t release;
    json_get_alloc_funcs(&allocate, &release);
    json_set_alloc_funcs(no_memory, release);
    dltf_status status = load_header("{" TENSOR("a", "F32", "[2]", "0", "8") "}", 8);
    json_set_alloc_funcs(allocate, release);
    assert_int_equal(status, DLTF_MEMORY);
    assert_message_has("not enough memory");
}

static void deep_nesting_is_safe(void **state) {
    (void)state;
    dl_text header = {0};
    dl_text_append(&header, "{\"a\":");
    for (int i = 0; i < 100000; i++)
        dl_text_append_bytes(&header, "[", 1);
    assert_fails(load_header(header.data, 0), DLTF_FORMAT, "corrupt header");
    dl_text_free(&header);
}

static void rejects_notes_that_are_not_utf8(void **state) {
    (void)state;
    dl_bundle b = {0};
    assert_int_equal(dl_notes_set(&b.notes, "bad", "\xff"), DLTF_OK);
    assert_fails(dl_safetensors_save(&b, in_directory("x")), DLTF_ARGUMENT, "x: note 'bad' is not UTF-8");
    dl_bundle_free(&b);
    assert_fails(dl_safetensors_load(in_directory("missing"), &b), DLTF_FILE, "missing: cannot open");
}

IO_TESTS_MAIN(cmocka_unit_test(round_trip), cmocka_unit_test(survives_corruption),
              cmocka_unit_test(reads_foreign_headers), cmocka_unit_test(rejects_inconsistent_headers),
              cmocka_unit_test(lack_of_memory_in_the_parser), cmocka_unit_test(deep_nesting_is_safe),
              cmocka_unit_test(rejects_notes_that_are_not_utf8))
