/* Tensors of safetensors files as data, indexes of shards, .fbin and its kin, and the axes of arrays. */
#include "test_io.h"

#include "data/array.h"
#include "data/matrix.h"
#include "io/formats/bin.h"
#include "io/formats/npy.h"
#include "io/formats/safetensors_data.h"
#include "io/formats/safetensors_index.h"
#include "io/matrix_file.h"
#include "io/streams/reader.h"

static dl_text tensors(const char *header, const void *data, int64_t size) {
    dl_text file = {0};
    put(&file, strlen(header), 8);
    dl_text_append(&file, "%s", header);
    dl_text_append_bytes(&file, data, size);
    return file;
}

static const char *save(const char *name, dl_text content) {
    const char *path = in_directory(name);
    write_file(path, content.data, content.length);
    dl_text_free(&content);
    return path;
}

#define TENSOR(name, type, shape, begin, end)                                                                \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":[" shape "],\"data_offsets\":[" begin "," end "]}"

static const float values[] = {1, -2, 0.5f, 4, 0.25f, -8};
static const uint16_t halves[] = {0x3c00, 0xc000, 0x3800, 0x4400, 0x3400, 0xc800};
static const uint16_t brains[] = {0x3f80, 0xc000, 0x3f00, 0x4080, 0x3e80, 0xc100};

/* Rows of 3 with these values, read in all ways. */
static void assert_rows(const char *path, const dl_reading *reading, int64_t rows) {
    dltf_array *arrays[2] = {NULL, NULL};
    dltf_reader *reader = NULL;
    if (dl_array_load(path, reading, &arrays[0]) != DLTF_OK ||
        dl_array_open(path, 0, reading, &arrays[1]) != DLTF_OK ||
        dl_reader_open(path, 0, reading, &reader) != DLTF_OK)
        fail_msg("%s", dltf_message());
    assert_int_equal(dltf_array_matrix(arrays[1]).type, DLTF_ROWS);
    assert_int_equal(dltf_reader_rows(reader), rows);
    for (int64_t i = 0; i < rows; i++) {
        float row[3];
        dltf_matrix piece = {0};
        for (int a = 0; a < 2; a++) {
            dltf_matrix all = dltf_array_matrix(arrays[a]);
            assert_int_equal(all.rows, rows);
            assert_int_equal(all.cols, 6 / rows);
            dltf_matrix_row(all, i, row);
            assert_memory_equal(row, values + i * all.cols, (size_t)all.cols * sizeof *row);
        }
        assert_int_equal(dltf_reader_next(reader, 1, &piece), DLTF_OK);
        assert_int_equal(piece.rows, 1);
        dltf_matrix_row(piece, 0, row);
        assert_memory_equal(row, values + i * piece.cols, (size_t)piece.cols * sizeof *row);
    }
    dltf_matrix none = {0};
    assert_int_equal(dltf_reader_next(reader, 1, &none), DLTF_OK);
    assert_int_equal(none.rows, 0);
    dltf_array_free(arrays[0]);
    dltf_array_free(arrays[1]);
    dltf_reader_free(reader);
}

static void tensors_are_data(void **state) {
    (void)state;
    double wide[6];
    uint8_t mixed[8 + sizeof values + 12];
    for (int i = 0; i < 6; i++)
        wide[i] = (double)values[i];
    assert_rows(save("f16.safetensors", tensors("{" TENSOR("x", "F16", "2,3", "0", "12") "}", halves, 12)),
                NULL, 2);
    assert_rows(save("bf16.safetensors", tensors("{" TENSOR("x", "BF16", "2,3", "0", "12") "}", brains, 12)),
                NULL, 2);
    assert_rows(save("f64.safetensors", tensors("{" TENSOR("x", "F64", "2,3", "0", "48") "}", wide, 48)),
                NULL, 2);
    memset(mixed, 0, sizeof mixed);
    memcpy(mixed + 8, values, sizeof values);
    memcpy(mixed + 8 + sizeof values, halves, sizeof halves);
    dl_text file = tensors("{\"__metadata__\":{\"a\":\"b\"}," TENSOR("ids", "I64", "1", "0", "8") "," TENSOR(
                               "x", "F32", "2,3", "8", "32") "," TENSOR("h", "F16", "6", "32", "44") "}",
                           mixed, sizeof mixed);
    const char *path = save("mixed.safetensors", file);
    dltf_array *array = NULL;
    assert_fails(dltf_array_load(path, &array), DLTF_FORMAT,
                 "contains several tensors ('x' [2 x 3], 'h' [6]): choose one with FILE.safetensors:NAME");
    assert_fails(
        dltf_array_load(in_directory("mixed.safetensors:y"), &array), DLTF_FORMAT,
        "mixed.safetensors: tensor 'y' not found; the file contains 'ids' [1], 'x' [2 x 3], 'h' [6]");
    assert_rows(in_directory("mixed.safetensors:x"), NULL, 2);
    assert_rows(in_directory("mixed.safetensors:h"), NULL, 6);
}

static void float32_is_mapped(void **state) {
    (void)state;
    dltf_array *array = NULL;
    const char *header = "{" TENSOR("x", "F32", "2,3", "0", "24") "}   ";
    assert_int_equal(strlen(header) % 4, 0);
    assert_int_equal(dltf_array_load(save("map.safetensors", tensors(header, values, sizeof values)), &array),
                     DLTF_OK);
    assert_non_null(array->mapping);
    assert_memory_equal(array->matrix.data, values, sizeof values);
    dltf_array_free(array);
}

static void long_headers_are_read_by_rows(void **state) {
    (void)state;
    enum { LONG = 200000 };
    dl_text header = {0};
    dl_text_append(&header, "{" TENSOR("x", "F16", "2,3", "0", "12"));
    while (header.length < LONG)
        dl_text_append(&header, "          ");
    dl_text_append(&header, "}");
    assert_rows(save("long.safetensors", tensors(header.data, halves, sizeof halves)), NULL, 2);
    dl_text_free(&header);
}

static void what_dltf_wrote_is_not_data(void **state) {
    (void)state;
    dltf_array *array = NULL;
    dl_text file = tensors(
        "{\"__metadata__\":{\"format\":\"dltf-model\"}," TENSOR("dictionary", "F32", "2,3", "0", "24") "}",
        values, sizeof values);
    const char *path = save("model.safetensors", file);
    assert_fails(dltf_array_load(path, &array), DLTF_FORMAT,
                 "model.safetensors: is a model; expected a data file");
    assert_rows(in_directory("model.safetensors:dictionary"), NULL, 2);
}

static void shards_are_found_by_their_index(void **state) {
    (void)state;
    dltf_array *array = NULL;
    const char *index = "{\"metadata\":{},\"weight_map\":{\"x\":\"part-1.safetensors\",\"y\":\"../secret\"}}";
    save("part-1.safetensors", tensors("{" TENSOR("x", "F16", "2,3", "0", "12") "}", halves, 12));
    write_file(in_directory("m.safetensors.index.json"), index, (int64_t)strlen(index));
    assert_rows(in_directory("m.safetensors.index.json:x"), NULL, 2);
    assert_fails(dltf_array_load(in_directory("m.safetensors.index.json"), &array), DLTF_FORMAT,
                 "lists 2 tensors: 'x', 'y': choose one with FILE.safetensors.index.json:NAME");
    assert_fails(dltf_array_load(in_directory("m.safetensors.index.json:z"), &array), DLTF_FORMAT,
                 "tensor 'z' not found; the index lists 'x', 'y'");
    assert_fails(dltf_array_load(in_directory("m.safetensors.index.json:y"), &array), DLTF_FORMAT,
                 "weight_map has no file name for tensor 'y'");
    static const char *const bad[] = {"{\"weight_map\":", "[]", "{\"weight_map\":3}",
                                      "{\"weight_map\":{\"x\":1}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file(in_directory("m.safetensors.index.json"), bad[i], (int64_t)strlen(bad[i]));
        assert_int_equal(dltf_array_load(in_directory("m.safetensors.index.json:x"), &array), DLTF_FORMAT);
        assert_message_has("m.safetensors.index.json: ");
    }
}

static dltf_status load_tensor(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_safetensors_load_data(file, "x", &array);
    dltf_array_free(array);
    return status;
}

static dltf_status load_fbin(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_fbin_load(file, &array);
    dltf_array_free(array);
    return status;
}

static void damaged_files_are_rejected(void **state) {
    (void)state;
    static const struct {
        const char *header, *message;
    } cases[] = {
        {"{" TENSOR("x", "F8_E4M3", "12", "0", "12") "}", "tensor 'x' has an unsupported type: expected F64"},
        {"{" TENSOR("x", "F16", "2,-3", "0", "12") "}", "tensor 'x' has an invalid shape"},
        {"{" TENSOR("x", "F16", "2,3.5", "0", "12") "}", "tensor 'x' has an invalid shape"},
        {"{" TENSOR("x", "F16", "9223372036854775807,8", "0", "12") "}",
         "more elements than can be addressed"},
        {"{" TENSOR("x", "F16", "2,3", "0", "10") "}",
         "tensor 'x' has data_offsets that do not match its shape"},
        {"{" TENSOR("x", "F16", "2,3", "12", "0") "}", "tensor 'x' has invalid data_offsets"},
        {"{" TENSOR("x", "F16", "2,3", "2", "14") "}",
         "truncated: tensor 'x' ends at byte 14 of the data, file has 12"},
        {"{" TENSOR("x", "F16", "2,0", "0", "0") "}", "contains no numbers: an axis has length 0"},
        {"{" TENSOR("x", "F16", "", "0", "2") "}", "contains a single number"},
        {"{\"x\":7}", "tensor 'x' has an unsupported type"},
        {"{\"y\":\"F16\"", "corrupt header"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dl_text file = tensors(cases[i].header, halves, sizeof halves);
        assert_fails(load_copy(load_tensor, file.data, file.length), DLTF_FORMAT, cases[i].message);
        dl_text_free(&file);
    }
    dl_text good = tensors("{" TENSOR("x", "F16", "2,3", "0", "12") "}", halves, sizeof halves);
    assert_truncation_fails(load_tensor, good.data, good.length);
    flip_every_bit(load_tensor, good.data, good.length);
    dl_text_free(&good);
}

static dl_text bin(uint32_t rows, uint32_t cols, const void *data, int64_t size) {
    dl_text file = {0};
    put(&file, rows, 4);
    put(&file, cols, 4);
    dl_text_append_bytes(&file, data, size);
    return file;
}

static void matrices_with_a_small_header_are_read(void **state) {
    (void)state;
    dltf_array *array = NULL;
    static const int8_t small[] = {1, -2, 100, -128};
    assert_rows(save("x.fbin", bin(2, 3, values, sizeof values)), NULL, 2);
    assert_rows(save("x.f16bin", bin(2, 3, halves, sizeof halves)), NULL, 2);
    assert_int_equal(dltf_array_load(save("x.i8bin", bin(2, 2, small, sizeof small)), &array), DLTF_OK);
    for (int i = 0; i < 4; i++)
        assert_true(((const float *)array->matrix.data)[i] == (float)small[i]);
    dltf_array_free(array);
    assert_int_equal(dltf_array_load(save("x.u8bin", bin(2, 2, small, sizeof small)), &array), DLTF_OK);
    assert_int_equal(array->matrix.type, DLTF_U8);
    assert_non_null(array->mapping);
    assert_memory_equal(array->matrix.data, small, sizeof small);
    dltf_array_free(array);
    assert_fails(dltf_array_load(save("t.fbin", bin(3, 3, values, sizeof values)), &array), DLTF_FORMAT,
                 "t.fbin: truncated: 3 rows of 3 columns take 36 bytes, file has 24");
    assert_fails(dltf_array_load(save("t.fbin", bin(1, 3, values, sizeof values)), &array), DLTF_FORMAT,
                 "t.fbin: corrupt: 1 rows of 3 columns take 12 bytes, file has 24");
    assert_fails(dltf_array_load(save("t.fbin", bin(0, 3, values, 0)), &array), DLTF_FORMAT,
                 "contains no numbers: an axis has length 0");
    assert_fails(dltf_array_open(save("t.fbin", bin(0xffffffff, 0xffffffff, values, 24)), 0, &array),
                 DLTF_FORMAT, "t.fbin: ");
    dl_text good = bin(2, 3, values, sizeof values);
    assert_truncation_fails(load_fbin, good.data, good.length);
    flip_every_bit(load_fbin, good.data, good.length);
    dl_text_free(&good);
}

typedef struct axes_case {
    const char *type, *shape;
    dl_columns_axis axis;
    int64_t rows, cols;
    const char *remark;
} axes_case;

static void the_last_axis_is_the_columns_unless_rows_are_images(void **state) {
    (void)state;
    static const axes_case cases[] = {
        {"<f4", "(2, 3, 4)", DL_AXIS_AUTO, 6, 4, "2 x 3 samples of 4 entries"},
        {"<f4", "(2, 3, 4)", DL_AXIS_LAST, 6, 4, "2 x 3 samples of 4 entries"},
        {"<f4", "(2, 3, 4)", DL_AXIS_REST, 2, 12, ""},
        {"<f4", "(2, 3, 2, 2)", DL_AXIS_AUTO, 12, 2, "2 x 3 x 2 samples of 2 entries"},
        {"<f4", "(6, 4)", DL_AXIS_LAST, 6, 4, ""},
        {"<f4", "(24,)", DL_AXIS_LAST, 24, 1, ""},
        {"|u1", "(2, 3, 4)", DL_AXIS_AUTO, 2, 12, ""},
        {"|u1", "(2, 3, 4)", DL_AXIS_LAST, 6, 4, "2 x 3 samples of 4 entries"},
        {"|u1", "(2, 2, 2, 3)", DL_AXIS_AUTO, 2, 12, ""},
        {"|u1", "(2, 3, 2, 2)", DL_AXIS_AUTO, 2, 12, ""},
        {"|u1", "(2, 2, 3, 2)", DL_AXIS_AUTO, 12, 2, "2 x 2 x 3 samples of 2 entries"},
        {"|u1", "(2, 1, 1, 4, 3)", DL_AXIS_AUTO, 8, 3, "2 x 1 x 1 x 4 samples of 3 entries"},
    };
    static const uint8_t zeros[24 * 4];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const axes_case *c = &cases[i];
        char dictionary[160];
        snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 c->type, c->shape);
        dl_text file = npy_bytes(dictionary, zeros, c->type[2] == '1' ? 24 : 96);
        const char *path = save("axes.npy", file);
        dl_reading reading = {.columns_axis = c->axis};
        dltf_array *arrays[2] = {NULL, NULL};
        dltf_reader *reader = NULL;
        assert_int_equal(dl_array_load(path, &reading, &arrays[0]), DLTF_OK);
        assert_int_equal(dl_array_open(path, 0, &reading, &arrays[1]), DLTF_OK);
        assert_int_equal(dl_reader_open(path, 0, &reading, &reader), DLTF_OK);
        for (int a = 0; a < 2; a++) {
            assert_int_equal(arrays[a]->matrix.rows, c->rows);
            assert_int_equal(arrays[a]->matrix.cols, c->cols);
            assert_int_equal(strncmp(dl_array_remark(arrays[a]), c->remark, strlen(c->remark)), 0);
            assert_int_equal(*dl_array_remark(arrays[a]) == '\0', *c->remark == '\0');
            dltf_array_free(arrays[a]);
        }
        assert_int_equal(dltf_reader_rows(reader), c->rows);
        assert_int_equal(dltf_reader_cols(reader), c->cols);
        assert_int_equal(*dl_reader_remark(reader) == '\0', *c->remark == '\0');
        dltf_reader_free(reader);
    }
}

static int pipe_with(dl_text content) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], content.data, (size_t)content.length), content.length);
    close(ends[1]);
    dl_text_free(&content);
    return ends[0];
}

static void tensors_are_read_from_pipes(void **state) {
    (void)state;
    dltf_reader *reader = NULL;
    dltf_matrix piece;
    uint8_t mixed[8 + sizeof halves + 8] = {0};
    memcpy(mixed + 8, halves, sizeof halves);
    const char *header = "{" TENSOR("i", "I64", "1", "0", "8") "," TENSOR(
        "x", "F16", "2,3", "8", "20") "," TENSOR("j", "I64", "1", "20", "28") "}";
    int end = pipe_with(tensors(header, mixed, sizeof mixed));
    assert_int_equal(dl_reader_adopt(end, "pipe", 0, NULL, &reader), DLTF_OK);
    assert_int_equal(dltf_reader_rows(reader), 2);
    assert_int_equal(dltf_reader_next(reader, 5, &piece), DLTF_OK);
    assert_int_equal(piece.rows, 2);
    assert_memory_equal(piece.data, values, sizeof values);
    assert_int_equal(dltf_reader_next(reader, 5, &piece), DLTF_OK);
    assert_int_equal(piece.rows, 0);
    dltf_reader_free(reader);
    end = pipe_with(tensors(header, mixed, 15));
    assert_int_equal(dl_reader_adopt(end, "pipe", 0, NULL, &reader), DLTF_OK);
    assert_fails(dltf_reader_next(reader, 5, &piece), DLTF_FORMAT,
                 "pipe: truncated: header declares 2 rows, row 1 (counting from 0) has 1 of 6 bytes");
    dltf_reader_free(reader);
    end = pipe_with(tensors("{" TENSOR("x", "F16", "2,3", "0", "12"), NULL, 0));
    assert_int_equal(dl_reader_adopt(end, "pipe", 0, NULL, &reader), DLTF_FORMAT);
}

static void lack_of_memory_is_survived(void **state) {
    (void)state;
    dltf_array *array = NULL;
    dltf_reader *reader = NULL;
    const char *path =
        save("memory.safetensors", tensors("{" TENSOR("x", "F16", "2,3", "0", "12") "}", halves, 12));
    assert_survives_lack_of_memory(dltf_array_load(path, &array), array == NULL);
    dltf_array_free(array);
    assert_survives_lack_of_memory(dltf_array_open(path, 0, &array), array == NULL);
    dltf_array_free(array);
    assert_survives_lack_of_memory(dltf_reader_open(path, 0, &reader), reader == NULL);
    dltf_reader_free(reader);
}

IO_TESTS_MAIN(cmocka_unit_test(tensors_are_data), cmocka_unit_test(float32_is_mapped),
              cmocka_unit_test(long_headers_are_read_by_rows), cmocka_unit_test(what_dltf_wrote_is_not_data),
              cmocka_unit_test(shards_are_found_by_their_index), cmocka_unit_test(damaged_files_are_rejected),
              cmocka_unit_test(matrices_with_a_small_header_are_read),
              cmocka_unit_test(the_last_axis_is_the_columns_unless_rows_are_images),
              cmocka_unit_test(tensors_are_read_from_pipes), cmocka_unit_test(lack_of_memory_is_survived))
