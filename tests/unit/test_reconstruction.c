/* dltf_reconstruction_measure against decoded samples and two passes over the data in long double. */
#include "reference/reference.h"

#include "test_util.h"

#include <math.h>

enum { N = 700, n = 12, m = 30, k = 3 };

static float W[m * n], mean[n], last[n], X[N * n];

enum { PLAIN = 0, CENTER = 1, REMOVE_MEAN = 2, UNIT_NORM = 4, POSITIVE = 8, OFFSET = 16, VARIANTS = 32 };

static dltf_model *make_model(int variant) {
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = m,
                             .n = n,
                             .k = k,
                             .dictionary = W,
                             .mean = variant & CENTER ? mean : NULL,
                             .offset = variant & OFFSET ? last : NULL,
                             .remove_mean = variant & REMOVE_MEAN,
                             .unit_norm = variant & UNIT_NORM,
                             .select = variant & POSITIVE ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

/* Samples far from zero, which differ by much less. */
static void fill(float distance) {
    fill_normal(W, m * n);
    fill_normal(X, N * n);
    fill_normal(last, n);
    for (int64_t j = 0; j < n; j++)
        mean[j] = distance + (float)j;
    for (int64_t i = 0; i < N * n; i++)
        X[i] += mean[i % n];
}

/* Sample i in the space the model decodes to: as it is or, with unit_norm, scaled. `lacks`: what remove_mean
 * takes from it and decoding does not return. */
static void target(const dltf_model_view *v, int64_t i, long double *x, long double *lacks) {
    long double own = 0, square = 0;
    for (int64_t j = 0; j < n; j++)
        x[j] = (long double)X[i * n + j] - (v->unit_norm && v->mean ? (long double)v->mean[j] : 0);
    for (int64_t j = 0; j < n && v->remove_mean; j++)
        own += ((long double)X[i * n + j] - (v->mean ? (long double)v->mean[j] : 0)) / n;
    *lacks = v->unit_norm ? 0 : own;
    for (int64_t j = 0; j < n && v->unit_norm; j++) {
        x[j] -= own;
        square += x[j] * x[j];
    }
    for (int64_t j = 0; j < n && v->unit_norm && square > 0; j++)
        x[j] /= sqrtl(square);
}

static double explained_by_loops(const dltf_model *model, const dltf_codes *codes, int64_t rows) {
    static float decoded[N * n];
    dltf_model_view v = dltf_model_get(model);
    long double average[n] = {0}, x[n], lacks, error = 0, variance = 0;
    assert_int_equal(dltf_decode(model, codes, decoded), DLTF_OK);
    for (int64_t i = 0; i < rows; i++) {
        target(&v, i, x, &lacks);
        for (int64_t j = 0; j < n; j++) {
            long double off = x[j] - (long double)decoded[i * n + j] - lacks;
            average[j] += x[j] / rows;
            error += off * off;
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        target(&v, i, x, &lacks);
        for (int64_t j = 0; j < n; j++)
            variance += (x[j] - average[j]) * (x[j] - average[j]);
    }
    return (double)(1 - error / variance);
}

static void assert_explained(const dltf_model *model, int64_t rows, double tolerance) {
    dltf_codes *codes = NULL;
    dltf_matrix samples = dltf_matrix_f32(X, rows, n);
    dltf_reconstruction found[3];
    double relative = -1;
    dltf_encode_options encoding = dltf_encode_options_default();
    assert_int_equal(dltf_encode(model, samples, &encoding, NULL, NULL, &codes), DLTF_OK);
    for (int t = 0; t < 3; t++)
        assert_int_equal(dltf_reconstruction_measure(model, samples, codes, 1 + t, &found[t]), DLTF_OK);
    assert_memory_equal(&found[1], &found[0], sizeof *found);
    assert_memory_equal(&found[2], &found[0], sizeof *found);
    assert_int_equal(dltf_reconstruction_error(model, samples, codes, &relative), DLTF_OK);
    assert_true(found->relative_error == relative);
    assert_true(found->entries == (double)dltf_codes_csr(codes).indptr[rows] / (double)rows);
    double expected = explained_by_loops(model, codes, rows);
    print_message("%.10f, by loops %.10f\n", found->explained_variance, expected);
    assert_near(found->explained_variance, expected, tolerance * fmax(1, fabs(expected)));
    dltf_codes_free(codes);
}

/* Every preprocessing with both selections; one tile and several. */
static void explained_variance(void **state) {
    (void)state;
    fill(3);
    for (int variant = PLAIN; variant < VARIANTS; variant++) {
        dltf_model *model = make_model(variant);
        assert_explained(model, 2, 1e-5);
        assert_explained(model, 96, 1e-5);
        assert_explained(model, N, 1e-5);
        dltf_model_free(model);
    }
}

/* Variance that is small beside the squares of the samples. */
static void far_from_zero(void **state) {
    (void)state;
    fill(4096);
    dltf_model *centered = make_model(CENTER);
    assert_explained(centered, N, 1e-3); /* decoded samples are rounded to floats */
    dltf_model_free(centered);
}

static double explained_without_codes(dltf_matrix samples, bool remove_mean) {
    dltf_codes *empty = NULL;
    dltf_reconstruction found;
    static const int64_t none[N + 1];
    dltf_model *model = make_model(remove_mean ? REMOVE_MEAN : PLAIN);
    assert_int_equal(dltf_codes_new((dltf_csr){samples.rows, m, none, NULL, NULL, NULL}, &empty), DLTF_OK);
    assert_int_equal(dltf_reconstruction_measure(model, samples, empty, 1, &found), DLTF_OK);
    assert_survives_lack_of_memory(dltf_reconstruction_measure(model, samples, empty, 1, &found), 3);
    assert_true(found.entries == 0);
    dltf_codes_free(empty);
    dltf_model_free(model);
    return found.explained_variance;
}

static void undefined(void **state) {
    (void)state;
    fill(0.1f);
    assert_true(explained_without_codes(dltf_matrix_f32(X, N, n), false) <= 0);
    assert_true(isnan(explained_without_codes(dltf_matrix_f32(X, 1, n), false)));
    for (int64_t i = 0; i < N * n; i++)
        X[i] = 0.1f + (float)(i % n);
    assert_true(isnan(explained_without_codes(dltf_matrix_f32(X, N, n), false)));
    static double huge[2 * n];
    for (int64_t i = 0; i < 2 * n; i++)
        huge[i] = i < n ? 1e200 : -1e200; /* zero without its own mean; the variance overflows */
    assert_true(isnan(explained_without_codes(dltf_matrix_f64(huge, 2, n), true)));
}

/* All-zero codes explain what the mean of a sample explains. */
static void own_mean(void **state) {
    (void)state;
    for (int64_t i = 0; i < N * n; i++)
        X[i] = (float)(i / n);
    assert_near(explained_without_codes(dltf_matrix_f32(X, N, n), true), 1, 0);
}

static void bad_arguments(void **state) {
    (void)state;
    fill(0);
    dltf_codes *codes = NULL;
    dltf_reconstruction found;
    static const int64_t none[N + 1];
    dltf_model *model = make_model(PLAIN);
    assert_int_equal(dltf_codes_new((dltf_csr){N, m, none, NULL, NULL, NULL}, &codes), DLTF_OK);
    assert_fails(dltf_reconstruction_measure(model, dltf_matrix_f32(X, N - 1, n), codes, 1, &found),
                 DLTF_DATA, "data: 699 x 12 samples, but the codes and the model expect 700 x 12");
    X[500 * n + 7] = NAN;
    assert_fails(dltf_reconstruction_measure(model, dltf_matrix_f32(X, N, n), codes, 1, &found), DLTF_DATA,
                 "data: row 500, column 7 is NaN");
    dltf_codes_free(codes);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(explained_variance), cmocka_unit_test(far_from_zero), cmocka_unit_test(undefined),
           cmocka_unit_test(own_mean), cmocka_unit_test(bad_arguments))
