/* The first atoms of a model, and the prefixes of nested ones. */
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

/* The first atoms: their rows, fewer entries if they are fewer than k, notes, and prefixes up to there. */
static void first_atoms(void **state) {
    (void)state;
    dltf_model *model = NULL, *first = NULL;
    assert_int_equal(dltf_model_new(&full, &model), DLTF_OK);
    assert_int_equal(dl_notes_set(&model->notes, "seed", "7"), DLTF_OK);
    assert_int_equal(dltf_model_first_atoms(model, 2, &first), DLTF_OK);
    dltf_model_view all = dltf_model_get(model), got = dltf_model_get(first);
    assert_true(got.m == 2 && got.n == n && got.k == 2 && got.unit_norm);
    assert_int_equal(got.select, DLTF_SELECT_POSITIVE);
    assert_memory_equal(got.dictionary, all.dictionary, 2 * n * sizeof(float));
    assert_memory_equal(got.encoder, all.encoder, 2 * n * sizeof(float));
    assert_memory_equal(got.bias, all.bias, 2 * sizeof(float));
    assert_memory_equal(got.mean, all.mean, n * sizeof(float));
    assert_string_equal(dltf_model_note(first, "seed"), "7");
    assert_string_equal(dltf_model_note(first, "first.atoms"), "2 of 3");
    assert_int_equal(dltf_model_prefixes(first, NULL, 0), 0);
    dltf_model_free(first);
    assert_int_equal(dl_notes_set(&model->notes, "nested.prefixes", "1 3"), DLTF_OK);
    int64_t sizes[2] = {0};
    assert_int_equal(dltf_model_prefixes(model, sizes, 1), 2);
    assert_true(sizes[0] == 1 && sizes[1] == 0);
    assert_int_equal(dltf_model_first_atoms(model, 1, &first), DLTF_OK);
    assert_int_equal(dltf_model_get(first).k, 1);
    assert_int_equal(dltf_model_prefixes(first, sizes, 2), 1);
    dltf_model_free(first);
    assert_int_equal(dltf_model_first_atoms(model, m, &first), DLTF_OK);
    assert_null(dltf_model_note(first, "first.atoms"));
    dltf_model_free(first);
    for (int64_t atoms = 0; atoms <= m + 1; atoms += m + 1) {
        assert_int_equal(dltf_model_first_atoms(model, atoms, &first), DLTF_ARGUMENT);
        assert_null(first);
    }
    dltf_model_free(model);
}

/* A note that is not a list of ascending sizes up to m counts as far as it is one. */
static void damaged_prefixes(void **state) {
    (void)state;
    static const struct {
        const char *note;
        int64_t count;
    } cases[] = {{"", 0},    {"x", 0},       {"-1 2", 0},
                 {"0", 0},   {"2 2", 1},     {"3 2", 1},
                 {"1 4", 1}, {"1 2 3 y", 3}, {"99999999999999999999", 0}};
    dltf_model *model = NULL;
    assert_int_equal(dltf_model_new(&full, &model), DLTF_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(dl_notes_set(&model->notes, "nested.prefixes", cases[i].note), DLTF_OK);
        assert_int_equal(dltf_model_prefixes(model, NULL, 0), cases[i].count);
    }
    assert_int_equal(dltf_model_prefixes(NULL, NULL, 0), 0);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(first_atoms), cmocka_unit_test(damaged_prefixes))
