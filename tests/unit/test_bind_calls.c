/* Coding, measures, clusters, hashes, search and images without structs: the same results as with them. */
#include "test_bind.h"

enum { N = 120, n = 6, M = 8, K = 2 };
static float x[N * n];
static dltf_array *X;
static dltf_model *model;

static dltf_matrix samples(void) {
    return dltf_matrix_f32(x, N, n);
}

static int set_up(void **state) {
    (void)state;
    float atoms[M * n];
    fill_normal(x, N * n);
    fill_normal(atoms, M * n);
    dltf_model_view parts = {.m = M, .n = n, .k = K, .dictionary = atoms};
    return dltf_array_borrow(x, "float32", N, n, n, 1, &X) == DLTF_OK &&
                   dltf_model_new(&parts, &model) == DLTF_OK
               ? 0
               : -1;
}

static int tear_down(void **state) {
    (void)state;
    dltf_array_free(X);
    dltf_model_free(model);
    return 0;
}

static int cancel(void *context, const char *task, int64_t done, int64_t total, const char *stage,
                  int64_t index, double error, const struct dltf_state *state) {
    (void)task;
    (void)done;
    (void)total;
    (void)error;
    (void)state;
    assert_string_equal(stage, "");
    assert_int_equal(index, -1);
    ++*(int *)context;
    return 1;
}

static void coding(void **state) {
    (void)state;
    dltf_options *omp = OPTIONS("encode", "coder", "omp", "k", "3");
    const dltf_encode_options *same = dltf_options_struct(omp);
    dltf_codes *codes = NULL, *expected = NULL, *refitted = NULL;
    dltf_values *values = NULL;
    dltf_reconstruction measured;
    int calls = 0;
    assert_int_equal(dltf_encode(model, samples(), same, NULL, NULL, &expected), DLTF_OK);
    assert_int_equal(dltf_bind_encode(model, X, omp, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_bind_get("codes", codes, &values), DLTF_OK);
    dltf_csr csr = dltf_codes_csr(expected);
    int64_t entries = csr.indptr[N];
    assert_true(number(values, "rows") == N && number(values, "cols") == M);
    assert_memory_equal(array(values, "indptr", "int64", N + 1, 0), csr.indptr, (N + 1) * sizeof(int64_t));
    assert_memory_equal(array(values, "indices", "int32", entries, 0), csr.indices, (size_t)entries * 4);
    assert_memory_equal(array(values, "values", "float32", entries, 0), csr.values, (size_t)entries * 4);
    dltf_values_free(values);
    dltf_codes_free(expected);

    assert_int_equal(dltf_reconstruction_measure(model, samples(), codes, 1, &measured), DLTF_OK);
    assert_int_equal(dltf_bind_reconstruction_measure(model, X, codes, 1, &values), DLTF_OK);
    assert_true(number(values, "explained_variance") == measured.explained_variance);
    assert_true(number(values, "relative_error") == measured.relative_error);
    dltf_values_free(values);
    assert_int_equal(dltf_bind_refit(model, X, codes, 1, &refitted), DLTF_OK);
    assert_int_equal(dltf_codes_csr(refitted).rows, N);
    dltf_codes_free(refitted);
    dltf_codes_free(codes);
    assert_fails(dltf_bind_encode(model, X, NULL, cancel, &calls, &codes), DLTF_CANCELLED, "cancelled");
    assert_true(calls == 1 && !codes);
    dltf_options_free(omp);
}

static void single_samples(void **state) {
    (void)state;
    dltf_encoder *encoder = NULL;
    dltf_codes *codes = NULL;
    int32_t count[1], index[K];
    float value[K];
    assert_int_equal(dltf_bind_encoder_new(model, NULL, &encoder), DLTF_OK);
    assert_int_equal(dltf_bind_encode(model, X, NULL, NULL, NULL, &codes), DLTF_OK);
    dltf_csr csr = dltf_codes_csr(codes);
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(dltf_bind_encoder_run(encoder, x + i * n, 1, n, count, index, value), DLTF_OK);
        assert_int_equal(count[0], K);
        assert_memory_equal(index, csr.indices + i * K, sizeof index);
    }
    assert_fails(dltf_bind_encoder_run(encoder, x, 1, n - 1, count, index, value), DLTF_DATA, "5 columns");
    assert_fails(dltf_bind_encoder_run(encoder, x, -1, n, count, index, value), DLTF_ARGUMENT, "-1 rows");
    dltf_codes_free(codes);
    dltf_encoder_free(encoder);
}

static void measures(void **state) {
    (void)state;
    dltf_array *atoms = NULL;
    dltf_codes *codes = NULL;
    dltf_values *values = NULL;
    dltf_model_certificate certificate;
    int32_t match[M];
    static uint8_t flags[N * DLTF_FLAG_COUNT], expected[N * DLTF_FLAG_COUNT];
    assert_int_equal(dltf_array_borrow(dltf_model_get(model).dictionary, "float32", M, n, n, 1, &atoms),
                     DLTF_OK);
    assert_int_equal(dltf_bind_match(atoms, atoms, match, NULL), DLTF_OK);
    for (int i = 0; i < M; i++)
        assert_int_equal(match[i], i);
    assert_int_equal(dltf_bind_encode(model, X, NULL, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_bind_supports_score(codes, codes, match, &values), DLTF_OK);
    assert_true(number(values, "ave_dif") == 0 && number(values, "exact") == 1);
    dltf_values_free(values);
    assert_int_equal(dltf_model_certify(model, NULL, &certificate), DLTF_OK);
    assert_survives_lack_of_memory(dltf_bind_model_certify(model, NULL, &values), 1);
    assert_true(number(values, "mu") == certificate.mu);
    assert_true(number(values, "twice.delta") == certificate.twice.delta);
    assert_true(number(values, "without_noise.babel") == (double)certificate.without_noise.babel);
    dltf_values_free(values);
    assert_int_equal(dltf_samples_certify(model, samples(), codes, NULL, NULL, NULL, NULL, expected),
                     DLTF_OK);
    assert_int_equal(
        dltf_bind_samples_certify(model, X, codes, NULL, NULL, NULL, NULL, flags, DLTF_FLAG_COUNT), DLTF_OK);
    assert_memory_equal(flags, expected, sizeof flags);
    dltf_codes_free(codes);
    dltf_array_free(atoms);
}

static void clusters(void **state) {
    (void)state;
    dltf_options *options = OPTIONS("cluster", "clusters", "4");
    dltf_clusters *found = NULL, *expected = NULL;
    dltf_codes *codes = NULL;
    dltf_values *values = NULL;
    int64_t labels[N];
    int calls = 0;
    assert_int_equal(dltf_clusters_train(samples(), dltf_options_struct(options), NULL, NULL, &expected),
                     DLTF_OK);
    dltf_clusters_view view = dltf_clusters_get(expected);
    assert_int_equal(dltf_bind_clusters_train(X, options, NULL, NULL, &found), DLTF_OK);
    assert_int_equal(dltf_bind_get("clusters", found, &values), DLTF_OK);
    assert_memory_equal(array(values, "assignment", "int32", N, 0), view.assignment, N * 4);
    assert_memory_equal(array(values, "centers", "float32", 4, n), view.centers, 4 * n * 4);
    assert_memory_equal(array(values, "sizes", "int64", 4, 0), view.sizes, 4 * 8);
    assert_true(number(values, "inertia") == view.inertia);
    dltf_values_free(values);
    for (int i = 0; i < N; i++)
        labels[i] = 7 - view.assignment[i];
    assert_int_equal(dltf_bind_partitions_compare(view.assignment, labels, N, &values), DLTF_OK);
    assert_true(number(values, "accuracy") == 1);
    dltf_values_free(values);
    dltf_clusters_free(found);
    assert_int_equal(dltf_bind_encode(model, X, NULL, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_bind_clusters_train_codes(codes, options, NULL, NULL, &found), DLTF_OK);
    assert_int_equal(dltf_clusters_get(found).cols, M);
    dltf_clusters_free(found);
    assert_fails(dltf_bind_clusters_train(X, options, cancel, &calls, &found), DLTF_CANCELLED, "cancelled");
    assert_true(calls >= 1 && !found);
    dltf_codes_free(codes);
    dltf_clusters_free(expected);
    dltf_options_free(options);
}

static void hashes(void **state) {
    (void)state;
    enum { BYTES = 2 };
    static uint8_t bits[N * BYTES];
    dltf_options *options = OPTIONS("hash", "method", "lsh", "bits", "16");
    dltf_options *nearest = OPTIONS("search", "k", "3");
    dltf_hasher *hasher = NULL;
    dltf_array *codes = NULL;
    dltf_index *index = NULL;
    dltf_neighbours *found = NULL;
    dltf_relevance *relevance = NULL;
    dltf_values *values = NULL;
    assert_int_equal(dltf_bind_hasher_train(X, options, NULL, NULL, &hasher), DLTF_OK);
    assert_int_equal(dltf_bind_hasher_apply(hasher, X, 1, NULL, NULL, bits), DLTF_OK);
    assert_int_equal(dltf_bind_get("hasher", hasher, &values), DLTF_OK);
    assert_true(number(values, "bits") == 16 && number(values, "n") == n);
    array(values, "mean", "float32", n, 0);
    dltf_values_free(values);
    assert_int_equal(dltf_array_borrow(bits, "uint8", N, BYTES, BYTES, 1, &codes), DLTF_OK);
    assert_int_equal(dltf_bind_index_new(codes, &index), DLTF_OK);
    assert_int_equal(dltf_bind_index_add_tables(index, 1, NULL, NULL), DLTF_OK);
    assert_int_equal(dltf_bind_get("index", index, &values), DLTF_OK);
    assert_memory_equal(array(values, "hashes", "uint8", N, BYTES), bits, sizeof bits);
    assert_true(number(values, "tables") > 0);
    dltf_values_free(values);
    assert_int_equal(dltf_bind_search(index, codes, nearest, NULL, NULL, &found), DLTF_OK);
    assert_int_equal(dltf_bind_get("neighbours", found, &values), DLTF_OK);
    const int32_t *distances = array(values, "distances", "int32", 3 * N, 0);
    for (int i = 0; i < N; i++)
        assert_int_equal(distances[3 * i], 0);
    array(values, "indices", "int64", 3 * N, 0);
    dltf_values_free(values);
    assert_int_equal(dltf_bind_relevance_by_nearest(X, X, 5, 1, NULL, NULL, &relevance), DLTF_OK);
    assert_int_equal(dltf_bind_hashes_evaluate(codes, codes, relevance, NULL, NULL, NULL, &values), DLTF_OK);
    assert_true(number(values, "queries") == N && number(values, "map") > 0);
    dltf_values_free(values);
    dltf_relevance_free(relevance);
    dltf_neighbours_free(found);
    dltf_index_free(index);
    dltf_array_free(codes);
    dltf_hasher_free(hasher);
    dltf_options_free(nearest);
    dltf_options_free(options);
}

static void images(void **state) {
    (void)state;
    enum { SIDE = 24 };
    dltf_options *options = OPTIONS("denoise", "sigma", "20", "patch", "4", "threads", "1");
    dltf_image *noisy = NULL, *clean = NULL, *expected = NULL;
    dltf_values *values = NULL, *info = NULL;
    int calls = 0;
    assert_int_equal(dltf_image_new(SIDE, SIDE, 1, 8, &noisy), DLTF_OK);
    for (int i = 0; i < SIDE * SIDE; i++)
        dltf_image_pixels(noisy)[i] = 120 + (float)(20 * normal());
    assert_int_equal(dltf_denoise(noisy, NULL, dltf_options_struct(options), NULL, NULL, &expected,
                                  &(dltf_denoise_info){0}),
                     DLTF_OK);
    assert_int_equal(dltf_bind_denoise(noisy, NULL, options, NULL, NULL, &clean, &info), DLTF_OK);
    assert_true(number(info, "sigma") == 20 && number(info, "patches") > 0);
    assert_int_equal(dltf_bind_get("image", clean, &values), DLTF_OK);
    assert_true(number(values, "width") == SIDE && number(values, "channels") == 1);
    assert_memory_equal(array(values, "planes", "float32", SIDE, SIDE), dltf_image_pixels(expected),
                        SIDE * SIDE * sizeof(float));
    dltf_values_free(values);
    dltf_values_free(info);
    dltf_image_free(clean);
    dltf_image_free(expected);
    assert_fails(dltf_bind_denoise(noisy, NULL, options, cancel, &calls, &clean, &info), DLTF_CANCELLED, "");
    assert_true(calls >= 1 && !clean && !info);
    dltf_image_free(noisy);
    dltf_options_free(options);
}

TESTS_MAIN(cmocka_unit_test_setup_teardown(coding, set_up, tear_down),
           cmocka_unit_test_setup_teardown(single_samples, set_up, tear_down),
           cmocka_unit_test_setup_teardown(measures, set_up, tear_down),
           cmocka_unit_test_setup_teardown(clusters, set_up, tear_down),
           cmocka_unit_test_setup_teardown(hashes, set_up, tear_down), cmocka_unit_test(images))
