/* Landmark codes: the map against plain loops, clusters that are no balls, invariants and errors. */
#include "test_util.h"

#include "program/program.h"
#include "test_option_tables.h"

#include <math.h>

enum { N = 240, n = 6, M = 40 };

static float X[N * n];

/* Three arcs on the unit sphere, each in a plane of its own. */
static void fill_arcs(void) {
    for (int64_t i = 0; i < N; i++) {
        double angle = 1.4 * (double)(i / 3) / (N / 3);
        for (int64_t j = 0; j < n; j++)
            X[i * n + j] = (float)(0.005 * normal());
        X[i * n + 2 * (i % 3)] += (float)cos(angle);
        X[i * n + 2 * (i % 3) + 1] += (float)sin(angle);
    }
}

static dltf_landmark_options options_of(int64_t threads) {
    dltf_landmark_options options = dltf_landmark_options_default();
    options.m = M;
    options.k = 3;
    options.d = 5;
    options.threads = threads;
    return options;
}

static dltf_landmarks *fit(int64_t threads) {
    dltf_landmarks *landmarks = NULL;
    dltf_landmark_options options = options_of(threads);
    dltf_status status = dltf_landmarks_train(dltf_matrix_f32(X, N, n), &options, NULL, NULL, &landmarks);
    if (status != DLTF_OK)
        fail_msg("%s", dltf_message());
    return landmarks;
}

static void finds_arcs(void **state) {
    (void)state;
    fill_arcs();
    dltf_landmarks *landmarks = fit(1);
    dltf_landmarks_view v = dltf_landmarks_get(landmarks);
    assert_true(v.m == M && v.n == n && v.k == 3 && v.d == 5);
    float Y[N * 5];
    assert_int_equal(dltf_landmarks_apply(landmarks, dltf_matrix_f32(X, N, n), 1, Y), DLTF_OK);
    for (int64_t i = 0; i < N; i++) {
        double square = 0;
        for (int64_t l = 0; l < 5; l++)
            square += (double)Y[i * 5 + l] * (double)Y[i * 5 + l];
        assert_true(fabs(square - 1) < 1e-5);
    }
    dltf_cluster_options means = dltf_cluster_options_default();
    dltf_clusters *clusters = NULL;
    means.clusters = 3;
    assert_int_equal(dltf_clusters_train(dltf_matrix_f32(Y, N, 5), &means, NULL, NULL, &clusters), DLTF_OK);
    const int32_t *assignment = dltf_clusters_get(clusters).assignment;
    for (int64_t i = 3; i < N; i++)
        assert_int_equal(assignment[i], assignment[i % 3]);
    dltf_clusters_free(clusters);
    dltf_landmarks_free(landmarks);
}

/* Columns v of the map solve R v = lambda D v, where R counts how landmarks share samples and D is diagonal;
 * their weights are powers of lambda. */
static void map_is_spectral(void **state) {
    (void)state;
    fill_normal(X, N * n);
    dltf_landmarks *landmarks = fit(1);
    dltf_landmarks_view v = dltf_landmarks_get(landmarks);
    dltf_codes *codes = NULL;
    double R[M * M] = {0}, D[M] = {0};
    assert_int_equal(dltf_encode(v.model, dltf_matrix_f32(X, N, n), NULL, NULL, NULL, &codes), DLTF_OK);
    dltf_csr Z = dltf_codes_csr(codes);
    for (int64_t i = 0; i < N; i++) {
        double row[M] = {0}, total = 0;
        assert_true(Z.indptr[i + 1] - Z.indptr[i] <= 3);
        for (int64_t e = Z.indptr[i]; e < Z.indptr[i + 1]; e++) {
            assert_true(Z.values[e] > 0);
            total += row[Z.indices[e]] = (double)Z.values[e];
        }
        for (int64_t a = 0; a < M; a++) {
            D[a] += row[a] / total;
            for (int64_t b = 0; b < M; b++)
                R[a * M + b] += row[a] / total * row[b] / total;
        }
    }
    for (int64_t l = 0; l < v.d; l++) {
        double norm = 0, product = 0;
        for (int64_t a = 0; a < M; a++) {
            norm += D[a] * pow((double)v.map[a * v.d + l], 2);
            for (int64_t b = 0; b < M; b++)
                product += (double)v.map[a * v.d + l] * R[a * M + b] * (double)v.map[b * v.d + l];
        }
        double lambda = product / norm;
        assert_true(l > 0 || fabs(lambda - 1) < 1e-4); /* the constant vector */
        assert_true(fabs(sqrt(norm) - lambda) < 1e-4); /* power 2 of the singular value */
        for (int64_t a = 0; a < M; a++) {
            double left = 0;
            for (int64_t b = 0; b < M; b++)
                left += R[a * M + b] * (double)v.map[b * v.d + l];
            assert_true(fabs(left - lambda * D[a] * (double)v.map[a * v.d + l]) < 1e-4);
        }
    }
    dltf_codes_free(codes);
    dltf_landmarks_free(landmarks);
}

static void same_bytes_for_any_threads(void **state) {
    (void)state;
    float first[N * 5], again[N * 5];
    fill_normal(X, N * n);
    for (int64_t threads = 1; threads <= 3; threads++) {
        dltf_landmarks *landmarks = fit(threads);
        float *out = threads == 1 ? first : again;
        assert_int_equal(dltf_landmarks_apply(landmarks, dltf_matrix_f32(X, N, n), threads, out), DLTF_OK);
        if (threads > 1)
            assert_memory_equal(first, again, sizeof first);
        dltf_landmarks_free(landmarks);
    }
}

static void bad_input(void **state) {
    (void)state;
    dltf_landmarks *landmarks = NULL;
    dltf_matrix data = dltf_matrix_f32(X, N, n);
    fill_normal(X, N * n);
    dltf_landmark_options options = options_of(1);
    options.d = M + 1;
    assert_fails(dltf_landmarks_train(data, &options, NULL, NULL, &landmarks), DLTF_ARGUMENT,
                 "d: 41 is more than the 40 landmarks");
    options = options_of(1);
    options.k = M + 1;
    assert_fails(dltf_landmarks_train(data, &options, NULL, NULL, &landmarks), DLTF_ARGUMENT,
                 "k: 41 is more than the 40 landmarks");
    options = options_of(1);
    options.m = N + 1;
    assert_fails(dltf_landmarks_train(data, &options, NULL, NULL, &landmarks), DLTF_ARGUMENT,
                 "data: 240 samples are too few for 241 landmarks");
    options = options_of(1);
    X[7] = NAN;
    assert_fails(dltf_landmarks_train(data, &options, NULL, NULL, &landmarks), DLTF_DATA,
                 "row 1, column 1 is NaN");
    for (int64_t j = 0; j < n; j++)
        X[n + j] = 0;
    assert_fails(dltf_landmarks_train(data, &options, NULL, NULL, &landmarks), DLTF_DATA,
                 "row 1 is all zero");
    assert_null(landmarks);
}

static dltf_status fit_once(void) {
    dltf_landmarks *landmarks = NULL;
    dltf_landmark_options options = options_of(1);
    float Y[60 * 5];
    dltf_status status = dltf_landmarks_train(dltf_matrix_f32(X, 60, n), &options, NULL, NULL, &landmarks);
    if (status == DLTF_OK)
        status = dltf_landmarks_apply(landmarks, dltf_matrix_f32(X, 60, n), 1, Y);
    dltf_landmarks_free(landmarks);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    fill_normal(X, N * n);
    assert_survives_lack_of_memory(fit_once(), 30);
}

static void option_table(void **state) {
    (void)state;
    assert_consistent_table(dl_landmark_option_table());
}

TESTS_MAIN(cmocka_unit_test(finds_arcs), cmocka_unit_test(map_is_spectral),
           cmocka_unit_test(same_bytes_for_any_threads), cmocka_unit_test(bad_input),
           cmocka_unit_test(out_of_memory), cmocka_unit_test(option_table))
