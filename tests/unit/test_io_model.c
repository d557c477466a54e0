/* Models: saving and loading is exact to the bit, anything else is rejected. */
#include "test_io.h"

#include "data/model.h"
#include "io/formats/model.h"
#include "io/formats/safetensors.h"

#include <math.h>

static dltf_status load(dl_file *file) {
    dltf_model *model = NULL;
    dltf_status status = dltf_model_read(file->bytes, file->size, &model);
    assert_int_equal(status == DLTF_OK, model != NULL);
    dltf_model_free(model);
    return status;
}

static const float atoms[] = {0.6f, 0.8f, 0, 0, 0, -1};

static dltf_model *example(bool full) {
    static const float encoder[] = {1, 2, 3, 4, 5, 6}, bias[] = {0.5f, -0.5f}, mean[] = {7, 8, 9};
    static const float offset[] = {-1, 0.5f, 2};
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = 2, .n = 3, .k = 1, .dictionary = atoms, .select = DLTF_SELECT_ABS};
    if (full) {
        parts.encoder = encoder;
        parts.bias = bias;
        parts.mean = mean;
        parts.offset = offset;
        parts.unit_norm = true;
        parts.select = DLTF_SELECT_POSITIVE;
        parts.k = 2;
    }
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dl_notes_set(&model->notes, "option.theta", "0.5"), DLTF_OK);
    return model;
}

static void round_trip(void **state) {
    (void)state;
    for (int full = 0; full < 2; full++) {
        dltf_model *model = example(full), *back = NULL;
        assert_int_equal(dltf_model_save(model, in_directory("a.safetensors")), DLTF_OK);
        if (dltf_model_load(in_directory("a.safetensors"), &back) != DLTF_OK)
            fail_msg("%s", dltf_message());
        dltf_model_view v = dltf_model_get(back);
        assert_int_equal(v.m, 2);
        assert_int_equal(v.n, 3);
        assert_int_equal(v.k, full ? 2 : 1);
        assert_int_equal(v.select, full ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS);
        assert_int_equal(v.unit_norm, full);
        assert_memory_equal(v.dictionary, dltf_model_get(model).dictionary, sizeof atoms);
        assert_int_equal(v.encoder != NULL, full);
        assert_int_equal(v.bias != NULL, full);
        assert_int_equal(v.mean != NULL, full);
        assert_int_equal(v.offset != NULL, full);
        if (full) {
            assert_true(v.encoder[5] == 6 && v.bias[1] == -0.5f && v.mean[2] == 9 && v.offset[0] == -1);
        }
        assert_string_equal(dltf_model_note(back, "option.theta"), "0.5");
        assert_null(dltf_model_note(back, "k"));
        assert_null(dltf_model_note_name(back, 1));
        assert_int_equal(dltf_model_save(back, in_directory("b.safetensors")), DLTF_OK);
        assert_same_files(in_directory("a.safetensors"), in_directory("b.safetensors"));
        dltf_model_free(model);
        dltf_model_free(back);
    }
}

static void round_trip_of_thresholds(void **state) {
    (void)state;
    static const float scale[] = {2, 0.5f}, threshold[] = {-1, 3};
    dltf_model_view parts = {.m = 2,
                             .n = 3,
                             .k = 2,
                             .dictionary = atoms,
                             .scale = scale,
                             .threshold = threshold,
                             .layer_norm = true,
                             .factor = 1.0 / 3,
                             .select = DLTF_SELECT_POSITIVE};
    dltf_model *model = NULL, *back = NULL;
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_model_save(model, in_directory("a.safetensors")), DLTF_OK);
    assert_int_equal(dltf_model_load(in_directory("a.safetensors"), &back), DLTF_OK);
    dltf_model_view v = dltf_model_get(back);
    assert_true(v.layer_norm && v.factor == 1.0 / 3 && v.scale[1] == 0.5f && v.threshold[0] == -1);
    assert_int_equal(dltf_model_save(back, in_directory("b.safetensors")), DLTF_OK);
    assert_same_files(in_directory("a.safetensors"), in_directory("b.safetensors"));
    dl_text file = read_back(in_directory("a.safetensors"));
    assert_truncation_fails(load, file.data, file.length);
    flip_every_bit(load, file.data, file.length);
    dl_text_free(&file);
    dltf_model_free(model);
    dltf_model_free(back);
}

static void survives_corruption(void **state) {
    (void)state;
    dltf_model *model = example(true);
    const char *path = in_directory("memory.safetensors");
    assert_survives_lack_of_memory(dltf_model_save(model, path), access(path, F_OK) != 0);
    dl_text file = read_back(path);
    assert_truncation_fails(load, file.data, file.length);
    flip_every_bit(load, file.data, file.length);
    assert_survives_lack_of_memory(load_copy(load, file.data, file.length), true);
    dl_text_free(&file);
    dltf_model_free(model);
}

static dl_bundle model_bundle(void) {
    dl_bundle b = {0};
    dl_notes_set(&b.notes, "format", "dltf-model");
    dl_notes_set(&b.notes, "version", "1");
    dl_notes_set(&b.notes, "k", "1");
    dl_notes_set(&b.notes, "select", "abs");
    dl_notes_set(&b.notes, "unit_norm", "false");
    dl_bundle_add_copy(&b, "dictionary", DL_TENSOR_F32, 2, 3, atoms);
    return b;
}

static void assert_bundle_refused(dl_bundle *b, const char *part) {
    dltf_model *model = NULL;
    assert_fails(dl_model_from_bundle(b, &model), DLTF_FORMAT, part);
    assert_null(model);
    dl_bundle_free(b);
}

static void rejects_invalid_notes(void **state) {
    (void)state;
    static const struct {
        const char *name, *value, *part;
    } cases[] = {
        {"format", "dltf-checkpoint",
         "is a checkpoint of an unfinished training run, not a model; to resume, run 'dltf train DATA "
         "--resume FILE'"},
        {"format", "something", "is a safetensors file, but not a dltf model as written by 'dltf train'"},
        {"version", "2", "unsupported model version 2; this program reads version 1"},
        {"k", "0", "metadata 'k' is '0'"},
        {"k", "3", "metadata 'k' is '3'"},
        {"k", "", "metadata 'k' is ''"},
        {"k", "01", "metadata 'k'"},
        {"k", "1x", "metadata 'k'"},
        {"k", "99999999999999999999", "metadata 'k'"},
        {"select", "largest", "expected abs or positive"},
        {"unit_norm", "1", "expected true or false"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dl_bundle b = model_bundle();
        dl_notes_set(&b.notes, cases[i].name, cases[i].value);
        assert_bundle_refused(&b, cases[i].part);
    }
    dl_bundle b = {0};
    assert_bundle_refused(&b, "not a dltf model");
    dl_notes_set(&b.notes, "format", "dltf-model");
    assert_bundle_refused(&b, "version (missing)");
    b = model_bundle();
    dl_free(b.notes.list[1].name); /* k */
    b.notes.list[1].name = dl_alloc(8, 1);
    memcpy(b.notes.list[1].name, "ka", 3);
    assert_bundle_refused(&b, "metadata 'k' is missing");
}

static void rejects_invalid_tensors(void **state) {
    (void)state;
    dl_bundle b = model_bundle();
    ((float *)b.tensors[0].data)[4] = NAN;
    assert_bundle_refused(&b, "tensor 'dictionary': row 1, column 1 is NaN");
    b = model_bundle();
    ((float *)b.tensors[0].data)[5] = -1.001f;
    assert_bundle_refused(&b, "row 1 of the dictionary has norm 1.001");
    b = model_bundle();
    dl_bundle_add_copy(&b, "bias", DL_TENSOR_F32, 2, 0, (float[]){0, INFINITY});
    assert_bundle_refused(&b, "tensor 'bias': row 1, column 0 is infinite");
    b = model_bundle();
    dl_bundle_add_copy(&b, "bias", DL_TENSOR_F32, 3, 0, atoms);
    assert_bundle_refused(&b, "'bias'");
    b = model_bundle();
    dl_bundle_add_copy(&b, "mean", DL_TENSOR_F32, 1, 3, atoms);
    assert_bundle_refused(&b, "'mean'");
    b = model_bundle();
    dl_bundle_add_copy(&b, "offset", DL_TENSOR_F32, 2, 0, atoms);
    assert_bundle_refused(&b, "'offset'");
    b = model_bundle();
    dl_bundle_add_copy(&b, "offset", DL_TENSOR_F32, 3, 0, (float[]){0, NAN, 0});
    assert_bundle_refused(&b, "tensor 'offset': row 1, column 0 is NaN");
    b = model_bundle();
    dl_bundle_add_copy(&b, "encoder", DL_TENSOR_F32, 3, 2, atoms);
    assert_bundle_refused(&b, "'encoder'");
    b = model_bundle();
    dl_bundle_add_copy(&b, "surplus", DL_TENSOR_F32, 3, 2, atoms);
    assert_bundle_refused(&b, "tensors other than");
    b = model_bundle();
    b.tensors[0].type = DL_TENSOR_I32;
    assert_bundle_refused(&b, "'dictionary'");
    b = model_bundle();
    b.tensors[0].name[0] = 'x';
    assert_bundle_refused(&b, "'dictionary' is missing");
}

static void names_the_file_once(void **state) {
    (void)state;
    dltf_model *model = NULL;
    write_file(in_directory("x"), "12345678901234567890", 20);
    assert_fails(dltf_model_load(in_directory("x"), &model), DLTF_FORMAT, "x: is not a safetensors file");
    assert_null(strstr(strstr(dltf_message(), test_directory) + 1, test_directory));
    dl_bundle b = model_bundle();
    dl_notes_set(&b.notes, "version", "9");
    assert_int_equal(dl_safetensors_save(&b, in_directory("x")), DLTF_OK);
    dl_bundle_free(&b);
    assert_fails(dltf_model_load(in_directory("x"), &model), DLTF_FORMAT, "x: unsupported model version 9");
    model = example(false);
    assert_fails(dltf_model_save(model, in_directory("no/x")), DLTF_FILE, "no/x: cannot create");
    assert_null(strstr(strstr(dltf_message(), test_directory) + 1, test_directory));
    dltf_model_free(model);
}

/* The bytes may be unaligned and are not needed afterwards. */
static void reads_bytes(void **state) {
    (void)state;
    dltf_model *model = example(true), *back = NULL;
    const char *path = in_directory("a.safetensors");
    assert_int_equal(dltf_model_save(model, path), DLTF_OK);
    dl_text file = read_back(path);
    for (int shift = 0; shift < 4; shift++) {
        char *copy = dl_alloc(file.length + shift, 1);
        memcpy(copy + shift, file.data, (size_t)file.length);
        assert_int_equal(dltf_model_read(copy + shift, file.length, &back), DLTF_OK);
        dl_free(copy);
        assert_memory_equal(dltf_model_get(back).dictionary, atoms, sizeof atoms);
        assert_string_equal(dltf_model_note(back, "option.theta"), "0.5");
        dltf_model_free(back);
    }
    assert_fails(dltf_model_read(NULL, file.length, &back), DLTF_ARGUMENT, "must not be NULL");
    assert_null(back);
    assert_fails(dltf_model_read(file.data, -1, &back), DLTF_ARGUMENT, "-1 bytes");
    dl_text_free(&file);
    dltf_model_free(model);
}

IO_TESTS_MAIN(cmocka_unit_test(round_trip), cmocka_unit_test(round_trip_of_thresholds),
              cmocka_unit_test(reads_bytes), cmocka_unit_test(survives_corruption),
              cmocka_unit_test(rejects_invalid_notes), cmocka_unit_test(rejects_invalid_tensors),
              cmocka_unit_test(names_the_file_once))
