/* Models built from parts: copied, normalised, every defect reported; their notes. */
#include "data/model.h"

#include "test_util.h"

enum { m = 3, n = 2 };

static const float dictionary[m * n] = {3, 4, 0, -2, 1e20f, 0};
static const float encoder[m * n] = {1, 2, 3, 4, 5, 6};
static const float bias[m] = {0.5f, -1, 2};
static const float mean[n] = {10, 20};

static const dltf_model_view full = {
    .m = m,
    .n = n,
    .k = 2,
    .dictionary = dictionary,
    .encoder = encoder,
    .bias = bias,
    .mean = mean,
    .unit_norm = true,
    .select = DLTF_SELECT_POSITIVE,
};
static const dltf_model_view tied = {
    .m = m, .n = n, .k = 1, .dictionary = dictionary, .select = DLTF_SELECT_ABS};

static dltf_status make_and_free(const dltf_model_view *parts) {
    dltf_model *model = NULL;
    dltf_status status = dltf_model_new(parts, &model);
    assert_true((model != NULL) == (status == DLTF_OK));
    dltf_model_free(model);
    return status;
}

static void normalised_copy(void **state) {
    (void)state;
    float own[m * n];
    memcpy(own, dictionary, sizeof own);
    dltf_model_view parts = full;
    parts.dictionary = own;
    dltf_model *model = NULL;
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_memory_equal(own, dictionary, sizeof own); /* borrowed, not changed */
    memset(own, 0x55, sizeof own);
    dltf_model_view got = dltf_model_get(model);
    const float unit[m * n] = {0.6f, 0.8f, 0, -1, 1, 0};
    assert_memory_equal(got.dictionary, unit, sizeof unit);
    assert_true(got.m == m && got.n == n && got.k == 2 && got.unit_norm);
    assert_int_equal(got.select, DLTF_SELECT_POSITIVE);
    assert_true(got.encoder != encoder && got.bias != bias && got.mean != mean);
    assert_memory_equal(got.encoder, encoder, sizeof encoder);
    assert_memory_equal(got.bias, bias, sizeof bias);
    assert_memory_equal(got.mean, mean, sizeof mean);
    assert_true(model->packed.data[0] == encoder[0] && model->packed.bias[0] == -bias[0]);
    dltf_model_free(model);
    dltf_model_free(NULL);
}

static void tied_model(void **state) {
    (void)state;
    dltf_model *model = NULL;
    assert_int_equal(dltf_model_new(&tied, &model), DLTF_OK);
    dltf_model_view got = dltf_model_get(model);
    assert_true(!got.encoder && !got.bias && !got.mean && !got.unit_norm);
    dltf_model_free(model);
}

/* A model built from a model's own parts is the same to the bit. */
static void normalising_twice_changes_nothing(void **state) {
    (void)state;
    enum { ATOMS = 200, LENGTH = 37 };
    float W[ATOMS * LENGTH];
    fill_normal(W, ATOMS * LENGTH);
    dltf_model_view parts = {.m = ATOMS, .n = LENGTH, .k = 1, .dictionary = W, .select = DLTF_SELECT_ABS};
    dltf_model *first = NULL, *second = NULL;
    assert_int_equal(dltf_model_new(&parts, &first), DLTF_OK);
    parts = dltf_model_get(first);
    for (int64_t j = 0; j < ATOMS; j++) {
        double square = 0;
        for (int64_t i = 0; i < LENGTH; i++)
            square += pow((double)parts.dictionary[j * LENGTH + i], 2);
        assert_near(square, 1, 1e-6);
    }
    assert_int_equal(dltf_model_new(&parts, &second), DLTF_OK);
    assert_memory_equal(dltf_model_get(second).dictionary, parts.dictionary, sizeof W);
    dltf_model_free(first);
    dltf_model_free(second);
    const float nearly[] = {1.0000005f, 0}; /* as another program may have rounded it */
    parts = (dltf_model_view){.m = 1, .n = 2, .k = 1, .dictionary = nearly, .select = DLTF_SELECT_ABS};
    assert_int_equal(dltf_model_new(&parts, &first), DLTF_OK);
    assert_memory_equal(dltf_model_get(first).dictionary, nearly, sizeof nearly);
    dltf_model_free(first);
}

static void assert_count_refused(int64_t atoms, int64_t entries, int64_t k, const char *part) {
    dltf_model_view parts = tied;
    parts.m = atoms;
    parts.n = entries;
    parts.k = k;
    assert_fails(make_and_free(&parts), DLTF_ARGUMENT, part);
}

static void bad_arguments(void **state) {
    (void)state;
    assert_count_refused(0, n, 1, "model: 0 atoms of 2 entries");
    assert_count_refused(-5, n, 1, "model: -5 atoms");
    assert_count_refused(m, 0, 1, "model: 3 atoms of 0 entries");
    assert_count_refused(INT64_C(1) << 31, n, 1, "model: 2147483648 atoms");
    assert_count_refused(m, n, 0, "model: k = 0 is outside 1 .. m = 3");
    assert_count_refused(m, n, 4, "model: k = 4 is outside 1 .. m = 3");
    assert_count_refused(m, n, -1, "model: k = -1");
    dltf_model_view parts = tied;
    parts.dictionary = NULL;
    assert_fails(make_and_free(&parts), DLTF_ARGUMENT, "model: the dictionary is missing");
    const dltf_select bad[] = {(dltf_select)3, (dltf_select)99, (dltf_select)-1};
    for (int i = 0; i < 3; i++) {
        parts = tied;
        parts.select = bad[i];
        assert_fails(make_and_free(&parts), DLTF_ARGUMENT, "select must be abs or positive");
    }
}

static void bad_values(void **state) {
    (void)state;
    const float zero_atom[m * n] = {1, 1, 0, -0.0f, 1, 1}, nan_atom[m * n] = {1, 1, 1, 1, 1, NAN};
    const float bad_encoder[m * n] = {INFINITY, 0, 0, 0, 0, 0};
    dltf_model_view parts = full;
    parts.dictionary = zero_atom;
    assert_fails(make_and_free(&parts), DLTF_DATA, "model: atom 1 is zero");
    parts.dictionary = nan_atom;
    assert_fails(make_and_free(&parts), DLTF_DATA, "entry 5 of the dictionary is not finite");
    parts = full;
    parts.encoder = bad_encoder;
    assert_fails(make_and_free(&parts), DLTF_DATA, "entry 0 of the encoder is not finite");
    parts = full;
    parts.bias = (const float[]){0, 0, -INFINITY};
    assert_fails(make_and_free(&parts), DLTF_DATA, "entry 2 of the bias is not finite");
    parts = full;
    parts.mean = (const float[]){0, NAN};
    assert_fails(make_and_free(&parts), DLTF_DATA, "entry 1 of the mean is not finite");
    parts = full;
    parts.offset = (const float[]){INFINITY, 0};
    assert_fails(make_and_free(&parts), DLTF_DATA, "entry 0 of the offset is not finite");
    parts = full;
    parts.encoder = zero_atom; /* valid: such a score is never kept */
    assert_int_equal(make_and_free(&parts), DLTF_OK);
}

static void notes(void **state) {
    (void)state;
    dltf_model *model = NULL;
    assert_int_equal(dltf_model_new(&tied, &model), DLTF_OK);
    assert_null(dltf_model_note(model, "seed"));
    assert_null(dltf_model_note_name(model, 0));
    assert_int_equal(dl_notes_set(&model->notes, "theta", "0.003"), DLTF_OK);
    assert_int_equal(dl_notes_set(&model->notes, "seed", "7"), DLTF_OK);
    assert_string_equal(dltf_model_note(model, "theta"), "0.003");
    assert_string_equal(dltf_model_note_name(model, 0), "seed");
    assert_string_equal(dltf_model_note_name(model, 1), "theta");
    assert_null(dltf_model_note_name(model, 2));
    assert_null(dltf_model_note_name(model, -1));
    dltf_model_free(model);
}

static void out_of_memory(void **state) {
    (void)state;
    assert_survives_lack_of_memory(make_and_free(&full), 5);
    assert_survives_lack_of_memory(make_and_free(&tied), 2);
}

static void unaligned_arrays_are_rejected(void **state) {
    (void)state;
    static float room[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = 2, .n = 2, .k = 1, .dictionary = (const float *)(void *)((char *)room + 1)};
    assert_fails(dltf_model_new(&parts, &model), DLTF_ARGUMENT,
                 "model: the address of the dictionary is not a multiple of 4 bytes");
}

TESTS_MAIN(cmocka_unit_test(normalised_copy), cmocka_unit_test(tied_model),
           cmocka_unit_test(normalising_twice_changes_nothing), cmocka_unit_test(bad_arguments),
           cmocka_unit_test(bad_values), cmocka_unit_test(unaligned_arrays_are_rejected),
           cmocka_unit_test(notes), cmocka_unit_test(out_of_memory))
