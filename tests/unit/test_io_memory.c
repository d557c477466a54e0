/* Models, hashers and indexes written to memory: the bytes of their files. */
#include "test_util.h"

#include "dltf.h"

#include <stdio.h>
#include <unistd.h>

static const char path[] = "test_io_memory.bin";

/* The file has these bytes; frees them. */
static void assert_file_has(uint8_t *bytes, int64_t size) {
    FILE *file = fopen(path, "rb");
    uint8_t *content = malloc((size_t)size + 1);
    assert_non_null(file);
    assert_int_equal(fread(content, 1, (size_t)size + 1, file), size);
    assert_memory_equal(content, bytes, (size_t)size);
    fclose(file);
    free(content);
    unlink(path);
    dltf_bytes_free(bytes);
}

/* At any alignment, cut short, and damaged. `read` frees what it makes. */
static void assert_reads(dltf_status (*read)(const void *, int64_t), const uint8_t *bytes, int64_t size) {
    uint8_t *moved = malloc((size_t)size + 1);
    memcpy(moved + 1, bytes, (size_t)size);
    assert_int_equal(read(moved + 1, size), DLTF_OK);
    const int64_t cuts[] = {-1, 0, 1, 8, size / 2, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        assert_int_equal(read(moved + 1, cuts[i]), cuts[i] < 0 ? DLTF_ARGUMENT : DLTF_FORMAT);
    moved[1] ^= 0xff;
    assert_int_equal(read(moved + 1, size), DLTF_FORMAT);
    free(moved);
}

/* Defines read_NAME, which reads an object and frees it. */
#define READER(name)                                                                                         \
    static dltf_status read_##name(const void *bytes, int64_t size) {                                        \
        dltf_##name *made = NULL;                                                                            \
        dltf_status status = dltf_##name##_read(bytes, size, &made);                                         \
        assert_true((status == DLTF_OK) == (made != NULL));                                                  \
        dltf_##name##_free(made);                                                                            \
        return status;                                                                                       \
    }

READER(model)
READER(hasher)
READER(index)

static void models(void **state) {
    (void)state;
    const float atoms[] = {1, 0, 0, 1, 0.6f, 0.8f}, bias[] = {0, 1, 2};
    dltf_model_view parts = {.m = 3, .n = 2, .k = 1, .dictionary = atoms, .bias = bias};
    dltf_model *model = NULL;
    uint8_t *bytes = NULL;
    int64_t size = 0;
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_survives_lack_of_memory(dltf_model_write(model, &bytes, &size), 3);
    assert_reads(read_model, bytes, size);
    assert_int_equal(dltf_model_save(model, path), DLTF_OK);
    assert_file_has(bytes, size);
    dltf_model_free(model);
}

static void hashers(void **state) {
    (void)state;
    static float x[50 * 6];
    fill_normal(x, 50 * 6);
    dltf_hash_options options = dltf_hash_options_default();
    options.method = DLTF_HASH_LSH;
    options.bits = 16;
    dltf_hasher *hasher = NULL;
    uint8_t *bytes = NULL;
    int64_t size = 0;
    assert_int_equal(dltf_hasher_train(dltf_matrix_f32(x, 50, 6), &options, NULL, NULL, &hasher), DLTF_OK);
    assert_survives_lack_of_memory(dltf_hasher_write(hasher, &bytes, &size), 3);
    assert_reads(read_hasher, bytes, size);
    assert_int_equal(dltf_hasher_save(hasher, path), DLTF_OK);
    assert_file_has(bytes, size);
    dltf_hasher_free(hasher);
}

static void indexes(void **state) {
    (void)state;
    static uint8_t codes[200 * 4];
    for (size_t i = 0; i < sizeof codes; i++)
        codes[i] = (uint8_t)below(256);
    for (int tables = 0; tables < 2; tables++) {
        dltf_index *index = NULL, *again = NULL;
        uint8_t *bytes = NULL;
        int64_t size = 0;
        assert_int_equal(dltf_index_new(dltf_matrix_u8(codes, 200, 4), &index), DLTF_OK);
        if (tables)
            assert_int_equal(dltf_index_add_tables(index, 1, NULL, NULL), DLTF_OK);
        assert_survives_lack_of_memory(dltf_index_write(index, &bytes, &size), 1);
        assert_reads(read_index, bytes, size);
        assert_survives_lack_of_memory(dltf_index_read(bytes, size, &again), 3);
        assert_int_equal(dltf_index_get(again).tables, dltf_index_get(index).tables);
        assert_memory_equal(dltf_index_get(again).hashes, codes, sizeof codes);
        assert_int_equal(dltf_index_save(index, path), DLTF_OK);
        assert_file_has(bytes, size);
        dltf_index_free(again);
        dltf_index_free(index);
    }
}

TESTS_MAIN(cmocka_unit_test(models), cmocka_unit_test(hashers), cmocka_unit_test(indexes))
