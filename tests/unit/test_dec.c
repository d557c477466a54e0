/* Deep embedded clustering: assignments, targets and gradients against plain formulas and finite differences;
 * recovers clusters; the same bytes for any number of threads. */
#include "test_network.h"

#include "network/dec.h"
#include "program/program.h"

enum { N = 120, n = 6, d = 2, CLUSTERS = 3 };

/* KL(p || q(z)) in double. */
static double divergence(const double *z, const double *centers, const double *p, int64_t clusters,
                         int64_t width) {
    double q[8], total = 0, sum = 0;
    for (int64_t j = 0; j < clusters; j++) {
        double square = 0;
        for (int64_t e = 0; e < width; e++)
            square += pow(z[e] - centers[j * width + e], 2);
        q[j] = 1 / (1 + square);
        total += q[j];
    }
    for (int64_t j = 0; j < clusters; j++)
        sum += p[j] * log(p[j] * total / q[j]);
    return sum;
}

static void gradient(void **state) {
    (void)state;
    enum { C = 4, D = 3 };
    for (int trial = 0; trial < 20; trial++) {
        float z[D], centers[C * D], z_slope[D];
        double p[C], wide_z[D], wide_centers[C * D], slope[C * D] = {0}, q[C], u[C], total = 0;
        const double scale = 0.3, step = 1e-5;
        fill_normal(z, D);
        fill_normal(centers, C * D);
        for (int j = 0; j < C; j++)
            total += p[j] = 0.1 + fabs(normal());
        for (int j = 0; j < C; j++)
            p[j] /= total;
        widen(z, D, wide_z);
        widen(centers, C * D, wide_centers);
        dl_dec_gradient((dl_centers){centers, C, D}, z, p, scale, q, u, z_slope, slope);
        for (int i = 0; i < D + C * D; i++) {
            double *at = i < D ? &wide_z[i] : &wide_centers[i - D], before = *at, ends[2];
            for (int side = 0; side < 2; side++) {
                *at = before + (side ? step : -step);
                ends[side] = scale * divergence(wide_z, wide_centers, p, C, D);
            }
            *at = before;
            double got = i < D ? (double)z_slope[i] : slope[i - D];
            assert_true(fabs((ends[1] - ends[0]) / (2 * step) - got) < 1e-6);
        }
    }
}

static void targets(void **state) {
    (void)state;
    enum { ROWS = 5, C = 3 };
    double Q[ROWS * C], P[ROWS * C], frequency[C], kl = 0;
    float z[ROWS * d], centers[C * d];
    fill_normal(z, ROWS * d);
    fill_normal(centers, C * d);
    for (int i = 0; i < ROWS; i++) {
        int64_t best = dl_dec_assignment((dl_centers){centers, C, d}, z + i * d, Q + i * C, NULL);
        assert_true(fabs(Q[i * C] + Q[i * C + 1] + Q[i * C + 2] - 1) < 1e-12);
        for (int j = 0; j < C; j++)
            assert_true(Q[i * C + j] <= Q[i * C + best]);
    }
    memcpy(P, Q, sizeof P);
    double got = dl_dec_targets(P, ROWS, C, frequency);
    for (int i = 0; i < ROWS; i++) {
        double p[C], sum = 0;
        for (int j = 0; j < C; j++) {
            double f = 0;
            for (int r = 0; r < ROWS; r++)
                f += Q[r * C + j];
            sum += p[j] = Q[i * C + j] * Q[i * C + j] / f;
        }
        for (int j = 0; j < C; j++) {
            assert_true(fabs(P[i * C + j] - p[j] / sum) < 1e-12);
            kl += p[j] / sum * log(p[j] / sum / Q[i * C + j]) / ROWS;
        }
    }
    assert_true(fabs(kl - got) < 1e-12);
}

/* ---- Clustering ---- */

static float X[N * n], start[CLUSTERS * d];
static int32_t truth[N];

/* Three clouds in n dimensions, and an encoder that projects on the first two with some distortion. The
 * centers start between them. */
static dl_network *make_problem(void) {
    const float projection[d * n] = {1, 0.2f, 0, 0, 0, 0, 0, 1, 0.2f, 0, 0, 0};
    const float corner[CLUSTERS][2] = {{0, 0}, {3, 0}, {0, 3}},
                first[CLUSTERS * d] = {0.8f, 0.9f, 2, 1, 1, 2};
    dl_layer_view layer = {n, d, DL_ACTIVATION_LINEAR, projection, NULL, 0};
    dl_network *encoder = NULL;
    for (int64_t i = 0; i < N; i++) {
        truth[i] = (int32_t)(i % CLUSTERS);
        fill_normal(X + i * n, n);
        for (int e = 0; e < n; e++)
            X[i * n + e] = 0.4f * X[i * n + e] + (e < 2 ? corner[truth[i]][e] : 0);
    }
    memcpy(start, first, sizeof start);
    assert_int_equal(dl_network_new(&layer, 1, 0, &encoder), DLTF_OK);
    return encoder;
}

static dl_dec_options quick(void) {
    dl_dec_options o = dl_dec_options_default();
    o.rate = 0.05;
    o.batch = 50;
    o.interval = 10;
    o.steps = 2000;
    return o;
}

static void finds_clusters(void **state) {
    (void)state;
    dl_network *encoder = make_problem();
    dl_dec_options o = quick();
    dl_dec_result result;
    float centers[CLUSTERS * d];
    int32_t labels[N];
    memcpy(centers, start, sizeof start);
    assert_int_equal(
        dl_dec_train(encoder, dltf_matrix_f32(X, N, n), centers, CLUSTERS, &o, NULL, NULL, &result), DLTF_OK);
    assert_true(result.converged && result.changed < o.tolerance && result.steps % o.interval == 0);
    assert_true(result.steps > 0 && result.steps < o.steps && result.divergence >= 0);
    assert_int_equal(dl_dec_assign(encoder, dltf_matrix_f32(X, N, n), centers, CLUSTERS, 2, labels), DLTF_OK);
    int64_t right = 0;
    for (int64_t i = 0; i < N; i++)
        right += labels[i] == truth[i];
    assert_true(100 * right > 97 * N);
    dl_network_free(encoder);
}

static void same_bytes_for_any_threads(void **state) {
    (void)state;
    for (int optimiser = 0; optimiser < 3; optimiser++) {
        dl_network *first = NULL;
        float centers[3][CLUSTERS * d];
        dl_network *source = make_problem();
        for (int threads = 1; threads <= 3; threads++) {
            dl_network *encoder = NULL;
            dl_dec_options o = quick();
            o.threads = threads;
            o.steps = 40;
            o.tolerance = 0;
            o.optimiser = (dl_optimiser_kind)optimiser;
            assert_int_equal(dl_network_part(source, 0, 1, &encoder), DLTF_OK);
            memcpy(centers[threads - 1], start, sizeof start);
            assert_int_equal(dl_dec_train(encoder, dltf_matrix_f32(X, N, n), centers[threads - 1], CLUSTERS,
                                          &o, NULL, NULL, NULL),
                             DLTF_OK);
            first = first ? first : encoder;
            assert_memory_equal(encoder->values, first->values, (size_t)first->size * sizeof(float));
            assert_memory_equal(centers[threads - 1], centers[0], sizeof start);
            if (encoder != first)
                dl_network_free(encoder);
        }
        assert_memory_not_equal(centers[0], start, sizeof start);
        dl_network_free(first);
        dl_network_free(source);
    }
}

static int stop(void *context, const dltf_progress *progress) {
    (void)context;
    assert_string_equal(progress->task, "clustering");
    return progress->done == 7;
}

static void refused(void **state) {
    (void)state;
    dl_network *encoder = make_problem();
    dltf_matrix data = dltf_matrix_f32(X, N, n);
    dl_dec_options o = quick();
    dl_dec_result result;
    int32_t labels[N];
    float centers[CLUSTERS * d];
    memcpy(centers, start, sizeof start);
    assert_fails(dl_dec_train(encoder, data, centers, CLUSTERS, &o, stop, NULL, &result), DLTF_CANCELLED,
                 "clustering was cancelled");
    assert_fails(dl_dec_train(encoder, data, centers, 0, &o, NULL, NULL, NULL), DLTF_ARGUMENT, "0 clusters");
    assert_fails(dl_dec_train(encoder, dltf_matrix_f32(X, N, n - 1), centers, CLUSTERS, &o, NULL, NULL, NULL),
                 DLTF_DATA, "5 columns, but the network has 6 inputs");
    o.batch = 0;
    assert_fails(dl_dec_train(encoder, data, centers, CLUSTERS, &o, NULL, NULL, NULL), DLTF_ARGUMENT,
                 "batch");
    o = quick();
    for (int64_t i = 0; i < encoder->size; i++)
        encoder->values[i] = 3e38f;
    assert_fails(dl_dec_train(encoder, data, centers, CLUSTERS, &o, NULL, NULL, NULL), DLTF_NUMERIC,
                 "training diverged: non-finite codes after 0 steps");
    centers[3] = NAN;
    assert_fails(dl_dec_train(encoder, data, centers, CLUSTERS, &o, NULL, NULL, NULL), DLTF_DATA,
                 "center 1, entry 1 is not finite");
    assert_fails(dl_dec_assign(encoder, data, centers, CLUSTERS, 1, labels), DLTF_DATA, "center 1, entry 1");
    dl_network_free(encoder);
}

static dl_network *shared;

static dltf_status cluster(void) {
    dl_dec_options o = quick();
    float centers[CLUSTERS * d];
    int32_t labels[N];
    o.steps = 2;
    o.threads = 1;
    memcpy(centers, start, sizeof start);
    dltf_status status =
        dl_dec_train(shared, dltf_matrix_f32(X, N, n), centers, CLUSTERS, &o, NULL, NULL, NULL);
    return status == DLTF_OK ? dl_dec_assign(shared, dltf_matrix_f32(X, N, n), centers, CLUSTERS, 1, labels)
                             : status;
}

static void out_of_memory(void **state) {
    (void)state;
    shared = make_problem();
    assert_survives_lack_of_memory(cluster(), 20);
    dl_network_free(shared);
}

TESTS_MAIN(cmocka_unit_test(gradient), cmocka_unit_test(targets), cmocka_unit_test(finds_clusters),
           cmocka_unit_test(same_bytes_for_any_threads), cmocka_unit_test(refused),
           cmocka_unit_test(out_of_memory))
