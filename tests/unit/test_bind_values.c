/* Values by name, and objects made from them. */
#include "test_bind.h"

#include "api/values.h"

#include <math.h>

static const float atoms[] = {1, 0, 0, 1, 0.6f, 0.8f}, encoder[] = {2, 0, 0, 2, 1, 1}, bias[] = {0, 0.5f, 1};
static const float mean[] = {0.25f, 0.5f};

static dltf_values *model_values(void) {
    dltf_values *values = NULL;
    assert_int_equal(dltf_values_new(&values), DLTF_OK);
    assert_int_equal(dltf_values_set_array(values, "dictionary", "float32", 3, 2, atoms), DLTF_OK);
    assert_int_equal(dltf_values_set_array(values, "encoder", "float32", 3, 2, encoder), DLTF_OK);
    assert_int_equal(dltf_values_set_array(values, "bias", "float32", 3, 0, bias), DLTF_OK);
    assert_int_equal(dltf_values_set_array(values, "mean", "float32", 2, 0, mean), DLTF_OK);
    assert_int_equal(dltf_values_set_number(values, "k", 2), DLTF_OK);
    assert_int_equal(dltf_values_set_number(values, "unit_norm", 1), DLTF_OK);
    assert_int_equal(dltf_values_set_text(values, "select", "positive"), DLTF_OK);
    return values;
}

static void every_kind_of_value(void **state) {
    (void)state;
    dltf_values *values = NULL;
    const char *kind = NULL, *text = NULL, *type = NULL;
    const void *data = NULL;
    int64_t rows = 7, cols = 7;
    double found = 7;
    assert_survives_lack_of_memory(dltf_values_new(&values), 1);
    assert_survives_lack_of_memory(dltf_values_set_text(values, "a", "one"), 2);
    assert_int_equal(dltf_values_set_number(values, "b", 2.5), DLTF_OK);
    assert_int_equal(dltf_values_set_array(values, "c", "int64", 1, 0, &rows), DLTF_OK);
    assert_string_equal(dltf_values_name(values, 0, &kind), "a");
    assert_string_equal(kind, "text");
    assert_string_equal(dltf_values_name(values, 1, NULL), "b");
    assert_string_equal(dltf_values_name(values, 2, &kind), "c");
    assert_string_equal(kind, "array");
    assert_null(dltf_values_name(values, 3, &kind));
    assert_null(kind);
    assert_null(dltf_values_name(values, -1, NULL));
    assert_true(number(values, "b") == 2.5);
    assert_int_equal(dltf_values_text(values, "a", &text), DLTF_OK);
    assert_string_equal(text, "one");
    assert_ptr_equal(array(values, "c", "int64", 1, 0), &rows);

    assert_fails(dltf_values_number(values, "a", &found), DLTF_ARGUMENT, "'a' is not of kind number");
    assert_true(isnan(found));
    assert_fails(dltf_values_text(values, "d", &text), DLTF_ARGUMENT, "no value has the name 'd'");
    assert_null(text);
    type = "x";
    data = &rows;
    assert_fails(dltf_values_array(values, "b", &type, &rows, &cols, &data), DLTF_ARGUMENT, "of kind number");
    assert_true(!type && !data && rows == 0 && cols == 0);

    assert_int_equal(dltf_values_set_number(values, "a", 1), DLTF_OK); /* replaces the text */
    assert_true(number(values, "a") == 1);
    dltf_values_free(values);
}

static void values_that_cannot_be(void **state) {
    (void)state;
    dltf_values *values = NULL;
    char name[60] = {0};
    memset(name, 'x', 48);
    assert_int_equal(dltf_values_new(&values), DLTF_OK);
    assert_fails(dltf_values_set_number(values, "", 1), DLTF_ARGUMENT, "a name has 0 characters");
    assert_fails(dltf_values_set_text(values, name, "t"), DLTF_ARGUMENT, "a name has 48 characters");
    assert_fails(dltf_values_set_array(values, "a", "float16", 1, 1, atoms), DLTF_ARGUMENT,
                 "unknown type 'float16'");
    assert_fails(dltf_values_set_array(values, "a", "float32", 0, 1, atoms), DLTF_ARGUMENT, "0 x 1");
    assert_fails(dltf_values_set_array(values, "a", "float32", 1, -1, atoms), DLTF_ARGUMENT, "1 x -1");
    assert_fails(dltf_values_set_array(values, "a", "float32", INT64_MAX, 2, atoms), DLTF_ARGUMENT,
                 "out of range");
    assert_fails(dltf_values_set_array(values, "a", "float32", 1, 1, (const char *)atoms + 1), DLTF_ARGUMENT,
                 "not a multiple of 4 bytes");
    assert_null(dltf_values_name(values, 0, NULL));
    dltf_values_free(values);
}

/* dltf_bind_new and dltf_bind_get are inverse. */
static void models(void **state) {
    (void)state;
    dltf_values *values = model_values(), *found = NULL;
    void *made = NULL;
    const char *select = NULL;
    assert_survives_lack_of_memory(dltf_bind_new("model", values, &made), 2);
    assert_survives_lack_of_memory(dltf_bind_get("model", made, &found), 2);
    assert_true(number(found, "m") == 3 && number(found, "n") == 2 && number(found, "k") == 2);
    assert_true(number(found, "unit_norm") == 1 && number(found, "remove_mean") == 0);
    assert_int_equal(dltf_values_text(found, "select", &select), DLTF_OK);
    assert_string_equal(select, "positive");
    assert_memory_equal(array(found, "dictionary", "float32", 3, 2), atoms, sizeof atoms);
    assert_memory_equal(array(found, "encoder", "float32", 3, 2), encoder, sizeof encoder);
    assert_memory_equal(array(found, "bias", "float32", 3, 0), bias, sizeof bias);
    assert_memory_equal(array(found, "mean", "float32", 2, 0), mean, sizeof mean);
    assert_false(dl_values_has(found, "offset"));
    void *again = NULL;
    assert_int_equal(dltf_bind_new("model", found, &again), DLTF_OK);
    assert_memory_equal(dltf_model_get(again).dictionary, dltf_model_get(made).dictionary, sizeof atoms);
    dltf_model_free(again);
    dltf_model_free(made);
    dltf_values_free(found);
    dltf_values_free(values);
}

static void refused(const char *name, double value, const char *message) {
    dltf_values *values = model_values();
    void *made = values;
    assert_int_equal(dltf_values_set_number(values, name, value), DLTF_OK);
    assert_fails(dltf_bind_new("model", values, &made), DLTF_ARGUMENT, message);
    assert_null(made);
    dltf_values_free(values);
}

static void refused_array(const char *name, const char *type, int64_t rows, int64_t cols,
                          const char *message) {
    static const double zeros[64];
    dltf_values *values = model_values();
    void *made = values;
    assert_int_equal(dltf_values_set_array(values, name, type, rows, cols, zeros), DLTF_OK);
    assert_fails(dltf_bind_new("model", values, &made), DLTF_ARGUMENT, message);
    assert_null(made);
    dltf_values_free(values);
}

static void models_that_cannot_be(void **state) {
    (void)state;
    refused("m", 4, "'m' is 4, but the arrays have 3");
    refused("k", 1.5, "'k' is 1.5: expected a whole number");
    refused("k", (double)INFINITY, "expected a whole number");
    refused("k", (double)NAN, "expected a whole number");
    refused("k", 4, "k");
    refused("unit_norm", 2, "'unit_norm' is 2: expected 0 or 1");
    refused("atoms", 2, "unknown name 'atoms'");
    refused("dictionary", 2, "'dictionary' is not of kind array");
    refused("select", 1, "'select' is not of kind text");
    refused_array("encoder", "float32", 2, 3, "'encoder' is 2 x 3: expected 3 x 2");
    refused_array("encoder", "float64", 3, 2, "'encoder' has type float64: expected float32");
    refused_array("bias", "float32", 3, 1, "'bias' is 3 x 1: expected 3 x 0");
    refused_array("dictionary", "float32", 3, 0, "'dictionary' is a vector");
    dltf_values *values = NULL;
    void *made = NULL;
    assert_int_equal(dltf_values_new(&values), DLTF_OK);
    assert_fails(dltf_bind_new("model", values, &made), DLTF_ARGUMENT, "'dictionary' is missing");
    assert_int_equal(dltf_values_set_array(values, "dictionary", "float32", 3, 2, atoms), DLTF_OK);
    assert_fails(dltf_bind_new("model", values, &made), DLTF_ARGUMENT, "'k' is missing");
    assert_int_equal(dltf_values_set_number(values, "k", 1), DLTF_OK);
    assert_int_equal(dltf_values_set_text(values, "select", "best"), DLTF_OK);
    assert_fails(dltf_bind_new("model", values, &made), DLTF_ARGUMENT, "'select' is 'best'");
    assert_fails(dltf_bind_new("codes", values, &made), DLTF_ARGUMENT, "kind 'codes' cannot be made");
    dltf_values *found = values;
    assert_fails(dltf_bind_get("thing", values, &found), DLTF_ARGUMENT, "unknown kind of object 'thing'");
    assert_null(found);
    dltf_values_free(values);
}

/* Learned from samples, taken apart and put together: the same coordinates. */
static void components_and_landmarks(void **state) {
    (void)state;
    enum { N = 60, n = 5, D = 2 };
    static float x[N * n], expected[N * D], out[N * D];
    fill_normal(x, N * n);
    dltf_array *X = NULL;
    dltf_options *options = NULL;
    dltf_pca *pca = NULL;
    dltf_landmarks *landmarks = NULL;
    dltf_values *values = NULL;
    void *again = NULL;
    assert_int_equal(dltf_array_borrow(x, "float32", N, n, n, 1, &X), DLTF_OK);
    assert_int_equal(dltf_bind_pca_train(X, D, 1, &pca), DLTF_OK);
    assert_int_equal(dltf_bind_pca_apply(pca, X, 1, expected), DLTF_OK);
    assert_int_equal(dltf_bind_get("pca", pca, &values), DLTF_OK);
    assert_int_equal(dltf_bind_new("pca", values, &again), DLTF_OK);
    dltf_values_free(values);
    dltf_pca_free(pca);
    assert_int_equal(dltf_bind_pca_apply(again, X, 1, out), DLTF_OK);
    assert_memory_equal(out, expected, sizeof out);
    dltf_pca_free(again);

    assert_int_equal(dltf_options_new("landmark", &options), DLTF_OK);
    assert_int_equal(dltf_options_set(options, "m", "8"), DLTF_OK);
    assert_int_equal(dltf_options_set(options, "k", "3"), DLTF_OK);
    assert_int_equal(dltf_options_set(options, "d", "2"), DLTF_OK);
    assert_int_equal(dltf_bind_landmarks_train(X, options, NULL, NULL, &landmarks), DLTF_OK);
    assert_int_equal(dltf_bind_landmarks_apply(landmarks, X, 1, expected), DLTF_OK);
    assert_int_equal(dltf_bind_get("landmarks", landmarks, &values), DLTF_OK);
    assert_survives_lack_of_memory(dltf_bind_new("landmarks", values, &again), 3);
    assert_int_equal(dltf_bind_landmarks_apply(again, X, 1, out), DLTF_OK);
    assert_memory_equal(out, expected, sizeof out);
    dltf_landmarks_free(again);
    static const float map[8 * 9];
    assert_int_equal(dltf_values_set_array(values, "map", "float32", 8, 9, map), DLTF_OK);
    assert_int_equal(dltf_values_set_number(values, "d", 9), DLTF_OK);
    assert_fails(dltf_bind_new("landmarks", values, &again), DLTF_ARGUMENT, "9 coordinates");
    dltf_values_free(values);
    dltf_landmarks_free(landmarks);
    dltf_options_free(options);
    dltf_array_free(X);
}

TESTS_MAIN(cmocka_unit_test(every_kind_of_value), cmocka_unit_test(values_that_cannot_be),
           cmocka_unit_test(models), cmocka_unit_test(models_that_cannot_be),
           cmocka_unit_test(components_and_landmarks))
