/* The interface without structs: options of every task by name, and the same results as with structs. */
#include "test_util.h"

#include "data/model.h"
#include "dltf.h"

static const char *const tasks[] = {"train",   "encode",   "denoise", "gist",          "certify",
                                    "cluster", "landmark", "hash",    "hash_evaluate", "search"};

/* Every value reads back as it was written; a fresh handle has the defaults of the table. */
static void options_of_every_task(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++) {
        dltf_options *options = NULL;
        char before[400];
        int count = 0;
        assert_int_equal(dltf_options_new(tasks[t], &options), DLTF_OK);
        for (const char *name; (name = dltf_options_name(options, count)); count++) {
            strcpy(before, dltf_options_get(options, name));
            if (strcmp(before, "0") != 0) /* left open */
                assert_int_equal(dltf_options_set(options, name, before), DLTF_OK);
            assert_string_equal(dltf_options_get(options, name), before);
        }
        assert_true(count > 0);
        dltf_options_free(options);
    }
    dltf_options *options = NULL;
    dltf_train_options defaults = dltf_train_options_default();
    assert_int_equal(dltf_options_new("train", &options), DLTF_OK);
    const dltf_train_options *made = dltf_options_struct(options);
    assert_true(made->m == defaults.m && made->theta == defaults.theta && made->batch == defaults.batch);
    assert_int_equal(dltf_options_set(options, "m", "77"), DLTF_OK);
    assert_int_equal(made->m, 77);
    assert_non_null(strstr(dltf_options_help(options, "m"), "atoms"));
    assert_null(dltf_options_help(options, "no-such-option"));
    dltf_options_free(options);
}

static void refusals(void **state) {
    (void)state;
    dltf_options *options = NULL;
    dltf_model *model = NULL, unused = {0};
    dltf_codes *codes = NULL;
    dltf_array *array = NULL;
    const float x[] = {1, 2, 3, 4};
    assert_fails(dltf_options_new("fly", &options), DLTF_ARGUMENT, "unknown task 'fly'");
    assert_null(options);
    assert_survives_lack_of_memory(dltf_options_new("encode", &options), 2);
    assert_fails(dltf_options_set(options, "atoms", "3"), DLTF_ARGUMENT, "unknown option 'atoms'");
    assert_fails(dltf_options_set(options, "k", "-3"), DLTF_ARGUMENT, "k: ");
    assert_fails(dltf_options_set(options, "coder", "fast"), DLTF_ARGUMENT, "coder: ");
    assert_null(dltf_options_get(options, "atoms"));
    assert_null(dltf_options_name(options, -1));
    assert_survives_lack_of_memory(dltf_array_borrow(x, "float32", 2, 2, 2, 1, &array), 1);
    assert_fails(dltf_bind_train(array, NULL, options, NULL, NULL, &model), DLTF_ARGUMENT,
                 "options of the task 'encode' were given to 'train'");
    dltf_options_free(options);
    assert_int_equal(dltf_options_new("train", &options), DLTF_OK);
    assert_fails(dltf_bind_encode(&unused, array, options, NULL, NULL, &codes), DLTF_ARGUMENT,
                 "were given to 'encode'");
    dltf_array_free(array);
    dltf_options_free(options);
}

static void same_results(void **state) {
    (void)state;
    enum { N = 300, n = 6 };
    static float x[N * n];
    for (int i = 0; i < N * n; i++)
        x[i] = (float)between(-9, 9);
    dltf_train_options training = dltf_train_options_default();
    dltf_options *options = NULL;
    dltf_array *X = NULL;
    dltf_model *expected = NULL, *model = NULL;
    dltf_codes *expected_codes = NULL, *codes = NULL;
    training.m = 8;
    training.k = 2;
    training.encoder = DLTF_ENCODER_TIED;
    assert_int_equal(dltf_train(dltf_matrix_f32(x, N, n), &training, NULL, NULL, &expected), DLTF_OK);
    assert_int_equal(dltf_options_new("train", &options), DLTF_OK);
    assert_int_equal(dltf_options_set(options, "m", "8"), DLTF_OK);
    assert_int_equal(dltf_options_set(options, "k", "2"), DLTF_OK);
    assert_int_equal(dltf_options_set(options, "encoder", "tied"), DLTF_OK);
    assert_int_equal(dltf_array_borrow(x, "float32", N, n, n, 1, &X), DLTF_OK);
    assert_int_equal(dltf_bind_train(X, NULL, options, NULL, NULL, &model), DLTF_OK);
    assert_memory_equal(dltf_model_get(model).dictionary, dltf_model_get(expected).dictionary,
                        8 * n * sizeof(float));

    assert_int_equal(dltf_encode(expected, dltf_matrix_f32(x, N, n), NULL, NULL, NULL, &expected_codes),
                     DLTF_OK);
    assert_int_equal(dltf_bind_encode(model, X, NULL, NULL, NULL, &codes), DLTF_OK);
    dltf_csr csr = dltf_codes_csr(expected_codes), found = dltf_codes_csr(codes);
    assert_true(found.rows == N && found.cols == 8);
    assert_memory_equal(found.indptr, csr.indptr, (N + 1) * sizeof *csr.indptr);
    assert_memory_equal(found.indices, csr.indices, (size_t)csr.indptr[N] * sizeof *csr.indices);
    assert_memory_equal(found.values, csr.values, (size_t)csr.indptr[N] * sizeof *csr.values);
    dltf_codes_free(codes);
    dltf_codes_free(expected_codes);
    dltf_model_free(model);
    dltf_model_free(expected);
    dltf_array_free(X);
    dltf_options_free(options);
}

TESTS_MAIN(cmocka_unit_test(options_of_every_task), cmocka_unit_test(refusals),
           cmocka_unit_test(same_results))
