/* IDX and IDX.gz. */
#include "test_io.h"

#include "data/array.h"
#include "io/formats/idx.h"

static dltf_status load(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_idx_load(file, &array);
    dltf_array_free(array);
    return status;
}

static dltf_status load_gzip(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_idx_gzip_load(file, &array);
    dltf_array_free(array);
    return status;
}

/* 2 x 1 x 3 bytes: 1 .. 6. */
static const uint8_t images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};

static dl_text gzipped(const void *bytes, int64_t size) {
    dl_text packed = {0};
    uint8_t *room = malloc((size_t)size + 1000);
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes,
                       .avail_in = (uInt)size,
                       .next_out = room,
                       .avail_out = (uInt)size + 1000};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    dl_text_append_bytes(&packed, room, (int64_t)stream.total_out);
    deflateEnd(&stream);
    free(room);
    return packed;
}

static void assert_images(const char *path, bool mapped) {
    dltf_array *array = NULL;
    if (dltf_array_load(path, &array) != DLTF_OK)
        fail_msg("%s", dltf_message());
    assert_int_equal(array->matrix.rows, 2);
    assert_int_equal(array->matrix.cols, 3);
    assert_int_equal(array->matrix.type, DLTF_U8);
    assert_true((array->mapping != NULL) == mapped);
    assert_memory_equal(array->matrix.data, images + 16, 6);
    dltf_array_free(array);
}

static void reads_images(void **state) {
    (void)state;
    write_file(in_directory("images-idx3-ubyte"), images, sizeof images);
    assert_images(in_directory("images-idx3-ubyte"), true);
    dl_text packed = gzipped(images, sizeof images);
    write_file(in_directory("images-idx3-ubyte.gz"), packed.data, packed.length);
    assert_images(in_directory("images-idx3-ubyte.gz"), false);
    dl_text_free(&packed);
}

static void reads_every_type(void **state) {
    (void)state;
    static const struct {
        uint8_t code, content[8];
        int size;
        dltf_type type;
        double value;
    } cases[] = {{0x08, {200}, 1, DLTF_U8, 200},
                 {0x09, {0xfe}, 1, DLTF_F32, -2},
                 {0x0b, {0xff, 0xfe}, 2, DLTF_F32, -2},
                 {0x0c, {0, 1, 0, 0}, 4, DLTF_F64, 65536},
                 {0x0d, {0xc0, 0x20, 0, 0}, 4, DLTF_F32, -2.5},
                 {0x0e, {0xc0, 0x04, 0, 0, 0, 0, 0, 0}, 8, DLTF_F64, -2.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[16] = {0, 0, cases[i].code, 1, 0, 0, 0, 1};
        memcpy(bytes + 8, cases[i].content, 8);
        dl_file file = dl_file_borrow(bytes, 8 + cases[i].size);
        dltf_array *array = NULL;
        assert_int_equal(dl_idx_load(&file, &array), DLTF_OK);
        const void *at = array->matrix.data;
        assert_int_equal(array->matrix.type, cases[i].type);
        double value = cases[i].type == DLTF_U8    ? *(const uint8_t *)at
                       : cases[i].type == DLTF_F32 ? (double)*(const float *)at
                                                   : *(const double *)at;
        assert_true(value == cases[i].value);
        dltf_array_free(array);
    }
}

static void survives_corruption(void **state) {
    (void)state;
    assert_truncation_fails(load, images, sizeof images);
    flip_every_bit(load, images, sizeof images);
    dl_text packed = gzipped(images, sizeof images);
    assert_truncation_fails(load_gzip, packed.data, packed.length);
    flip_every_bit(load_gzip, packed.data, packed.length);
    assert_survives_lack_of_memory(load_copy(load, images, sizeof images), true);
    assert_survives_lack_of_memory(load_copy(load_gzip, packed.data, packed.length), true);
    dl_text_free(&packed);
}

static void says_what_is_wrong(void **state) {
    (void)state;
    uint8_t bytes[sizeof images + 1];
    memcpy(bytes, images, sizeof images);
    assert_fails(load_copy(load, bytes, sizeof bytes), DLTF_FORMAT, "1 more bytes than");
    assert_fails(load_copy(load, bytes, sizeof images - 1), DLTF_FORMAT,
                 "header declares 6 bytes, file has 5");
    memset(bytes + 4, 0xff, 12);
    assert_fails(load_copy(load, bytes, sizeof images), DLTF_FORMAT, "more elements");
    assert_fails(load_copy(load, "\0\0\10\0xxxx", 8), DLTF_FORMAT, "not an IDX file");
    assert_fails(load_copy(load, "\0\0\10\77xxxx", 8), DLTF_FORMAT, "axes");
    assert_fails(load_copy(load, "\0\0\10\1\0\0\0\0", 8), DLTF_FORMAT, "no numbers");
}

static void assert_gzip_fails(const void *bytes, int64_t size, const char *trailing, const char *part) {
    dl_text packed = gzipped(bytes, size);
    dl_text_append(&packed, "%s", trailing);
    assert_fails(load_copy(load_gzip, packed.data, packed.length), DLTF_FORMAT, part);
    dl_text_free(&packed);
}

static void gzip_is_bounded_by_the_header(void **state) {
    (void)state;
    uint8_t *bomb = calloc(4000000, 1);
    memcpy(bomb, images, 16);
    assert_gzip_fails(bomb, 4000000, "", "more bytes than the header declares");
    memset(bomb + 4, 0x10, 12);
    assert_gzip_fails(bomb, 4000000, "", "more elements");
    memcpy(bomb + 4, "\0\0\2\0\0\0\2\0\0\0\2\0", 12);
    assert_gzip_fails(bomb, 40, "", "more than");
    free(bomb);
    assert_gzip_fails(images, sizeof images - 1, "", "header declares 6 bytes, file has 5");
    assert_gzip_fails(images, sizeof images, "garbage", "trailing data");
    assert_gzip_fails("plain text", 10, "", "does not contain IDX data");
    dl_text packed = gzipped(images, sizeof images);
    packed.data[packed.length - 6] ^= 1;
    assert_fails(load_copy(load_gzip, packed.data, packed.length), DLTF_FORMAT, "incorrect data check");
    dl_text_free(&packed);
}

IO_TESTS_MAIN(cmocka_unit_test(reads_images), cmocka_unit_test(reads_every_type),
              cmocka_unit_test(survives_corruption), cmocka_unit_test(says_what_is_wrong),
              cmocka_unit_test(gzip_is_bounded_by_the_header))
