/* Principal components: orthonormal, uncorrelated, of falling variance; both eigenvalue problems; files. */
#include "test_util.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 60 * 90 };

static float X[MOST];

/* Samples with variance 1, 1/4, 1/9, ... along mixed directions, and a mean. */
static void fill_samples(int64_t N, int64_t n) {
    double mix[90 * 90];
    fill_normal_f64(mix, n * n);
    for (int64_t i = 0; i < N; i++) {
        double z[90];
        for (int64_t j = 0; j < n; j++)
            z[j] = normal() / (double)(j + 1);
        for (int64_t j = 0; j < n; j++) {
            double sum = 5 + (double)j;
            for (int64_t l = 0; l < n; l++)
                sum += z[l] * mix[l * n + j];
            X[i * n + j] = (float)sum;
        }
    }
}

static double dot(const float *a, const float *b, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += (double)a[j] * (double)b[j];
    return sum;
}

static void check_fit(int64_t N, int64_t n, int64_t d) {
    dltf_pca *pca = NULL;
    fill_samples(N, n);
    dltf_matrix data = dltf_matrix_f32(X, N, n);
    assert_int_equal(dltf_pca_train(data, d, 0, &pca), DLTF_OK);
    dltf_pca_view v = dltf_pca_get(pca);
    assert_true(v.n == n && v.d == d);
    float *Y = malloc((size_t)(N * d) * sizeof *Y);
    assert_int_equal(dltf_pca_apply(pca, data, 0, Y), DLTF_OK);
    double total = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < n; j++)
            total += pow((double)X[i * n + j] - (double)v.mean[j], 2) / (double)(N - 1);
    assert_true(fabs(total - v.total_variance) <= 1e-5 * total);
    for (int64_t a = 0; a < d; a++) {
        const float *w = v.components + a * n;
        int64_t largest = 0;
        for (int64_t j = 0; j < n; j++)
            largest = fabsf(w[j]) > fabsf(w[largest]) ? j : largest;
        bool none = v.variances[a] < 1e-9 * total; /* N samples vary in N - 1 directions */
        assert_true(none || w[largest] > 0);
        assert_true(a == 0 || v.variances[a] <= v.variances[a - 1]);
        for (int64_t b = 0; b <= a && !none; b++) {
            double covariance = 0, expected = a == b ? v.variances[a] : 0;
            for (int64_t i = 0; i < N; i++)
                covariance += (double)Y[i * d + a] * (double)Y[i * d + b] / (double)(N - 1);
            assert_true(fabs(covariance - expected) <= 1e-5 * v.variances[b] + 1e-6 * total);
            assert_true(fabs(dot(w, v.components + b * n, n) - (a == b)) < 1e-5);
        }
    }
    if (d == (N < n ? N : n)) { /* all directions: nothing is lost */
        double kept = 0;
        for (int64_t a = 0; a < d; a++)
            kept += v.variances[a];
        assert_true(fabs(kept - total) <= 1e-5 * total);
    }
    free(Y);
    dltf_pca_free(pca);
}

static void fits(void **state) {
    (void)state;
    check_fit(60, 8, 8);
    check_fit(60, 8, 1);
    check_fit(60, 59, 20);
    check_fit(60, 60, 60);
    check_fit(30, 90, 5); /* fewer samples than columns */
    check_fit(30, 90, 30);
    check_fit(2, 90, 2);
    check_fit(60, 1, 1);
}

static void same_bytes_for_any_threads(void **state) {
    (void)state;
    fill_samples(60, 70);
    dltf_matrix data = dltf_matrix_f32(X, 60, 70);
    float first[60 * 10], again[60 * 10];
    for (int64_t threads = 1; threads <= 3; threads++) {
        dltf_pca *pca = NULL;
        assert_int_equal(dltf_pca_train(data, 10, threads, &pca), DLTF_OK);
        assert_int_equal(dltf_pca_apply(pca, data, threads, threads == 1 ? first : again), DLTF_OK);
        if (threads > 1)
            assert_memory_equal(first, again, sizeof first);
        dltf_pca_free(pca);
    }
}

static void constant_samples(void **state) {
    (void)state;
    dltf_pca *pca = NULL;
    float Y[20];
    for (int64_t i = 0; i < 100; i++)
        X[i] = 3;
    assert_int_equal(dltf_pca_train(dltf_matrix_f32(X, 5, 20), 4, 1, &pca), DLTF_OK);
    assert_int_equal(dltf_pca_apply(pca, dltf_matrix_f32(X, 5, 20), 1, Y), DLTF_OK);
    assert_true(dltf_pca_get(pca).total_variance == 0 && Y[0] == 0 && Y[19] == 0);
    dltf_pca_free(pca);
}

static void bad_input(void **state) {
    (void)state;
    dltf_pca *pca = NULL;
    fill_samples(20, 10);
    dltf_matrix data = dltf_matrix_f32(X, 20, 10);
    assert_fails(dltf_pca_train(data, 11, 1, &pca), DLTF_ARGUMENT,
                 "data: 20 samples of 10 entries have at most 10 principal components, not 11");
    assert_fails(dltf_pca_train(data, 0, 1, &pca), DLTF_ARGUMENT, "not 0");
    assert_int_equal(dltf_pca_train(data, 3, 1, &pca), DLTF_OK);
    float Y[60];
    assert_fails(dltf_pca_apply(pca, dltf_matrix_f32(X, 10, 20), 1, Y), DLTF_ARGUMENT,
                 "data: 20 columns, but the principal components have 10");
    X[13] = NAN;
    assert_fails(dltf_pca_apply(pca, data, 1, Y), DLTF_DATA, "row 1, column 3 is NaN");
    dltf_pca_view parts = dltf_pca_get(pca);
    dltf_pca *other = NULL;
    parts.total_variance = -1;
    assert_fails(dltf_pca_new(&parts, &other), DLTF_DATA, "total variance is -1");
    dltf_pca_free(pca);
    assert_fails(dltf_pca_train(data, 3, 1, &pca), DLTF_DATA, "data: row 1, column 3 is NaN");
    assert_null(pca);
}

static void files(void **state) {
    (void)state;
    char path[] = "/tmp/dltf-pca-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    dltf_pca *pca = NULL, *loaded = NULL;
    dltf_model *model = NULL;
    fill_samples(40, 12);
    assert_int_equal(dltf_pca_train(dltf_matrix_f32(X, 40, 12), 5, 1, &pca), DLTF_OK);
    assert_int_equal(dltf_pca_save(pca, path), DLTF_OK);
    assert_int_equal(dltf_pca_load(path, &loaded), DLTF_OK);
    dltf_pca_view a = dltf_pca_get(pca), b = dltf_pca_get(loaded);
    assert_true(a.n == b.n && a.d == b.d && a.total_variance == b.total_variance);
    assert_memory_equal(a.mean, b.mean, 12 * sizeof *a.mean);
    assert_memory_equal(a.components, b.components, 5 * 12 * sizeof *a.components);
    assert_memory_equal(a.variances, b.variances, 5 * sizeof *a.variances);
    assert_fails(dltf_model_load(path, &model), DLTF_FORMAT,
                 "is a file of principal components, not a model; to use them, run 'dltf cluster");
    dltf_pca_free(loaded);
    dltf_pca_free(pca);
    float atom[2] = {1, 0};
    dltf_model_view parts = {.m = 1, .n = 2, .k = 1, .dictionary = atom};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_model_save(model, path), DLTF_OK);
    assert_fails(dltf_pca_load(path, &loaded), DLTF_FORMAT, "is a finished model, not a PCA");
    dltf_model_free(model);
    remove(path);
}

static dltf_status fit_once(void) {
    dltf_pca *pca = NULL;
    float Y[20 * 3];
    dltf_status status = dltf_pca_train(dltf_matrix_f32(X, 20, 10), 3, 1, &pca);
    if (status == DLTF_OK)
        status = dltf_pca_apply(pca, dltf_matrix_f32(X, 20, 10), 1, Y);
    dltf_pca_free(pca);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    fill_samples(20, 10);
    assert_survives_lack_of_memory(fit_once(), 12);
}

TESTS_MAIN(cmocka_unit_test(fits), cmocka_unit_test(same_bytes_for_any_threads),
           cmocka_unit_test(constant_samples), cmocka_unit_test(bad_input), cmocka_unit_test(files),
           cmocka_unit_test(out_of_memory))
