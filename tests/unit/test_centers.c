/* k-means from given centers, the assignment of other samples to centers, and checkpoints of both without
 * structs. */
#include "test_bind.h"

#include <math.h>
#include <unistd.h>

enum { N = 400, n = 5, C = 6 };
static float x[N * n];
static dltf_array *X;
static const char path[] = "test_centers.dltf";

static int set_up(void **state) {
    (void)state;
    fill_normal(x, N * n);
    for (int i = 0; i < N; i++)
        x[i * n] += 1000 + (float)(5 * (i % C)); /* far from the origin */
    return dltf_array_borrow(x, "float32", N, n, n, 1, &X) == DLTF_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    dltf_array_free(X);
    unlink(path);
    return 0;
}

static dltf_matrix samples(void) {
    return dltf_matrix_f32(x, N, n);
}

static dltf_clusters *trained(bool spherical, double tolerance) {
    dltf_cluster_options options = dltf_cluster_options_default();
    dltf_clusters *clusters = NULL;
    options.clusters = C;
    options.restarts = 2;
    options.spherical = spherical;
    options.tolerance = tolerance;
    assert_int_equal(dltf_clusters_train(samples(), &options, NULL, NULL, &clusters), DLTF_OK);
    return clusters;
}

static double distance_to(const float *sample, const float *center, bool spherical) {
    double sum = 0, norm = 0, other = 0;
    for (int j = 0; j < n; j++) {
        norm += (double)sample[j] * (double)sample[j];
        other += (double)center[j] * (double)center[j];
    }
    norm = spherical ? sqrt(norm) : 1;
    other = spherical ? sqrt(other) : 1;
    for (int j = 0; j < n; j++)
        sum += pow((double)sample[j] / norm - (double)center[j] / other, 2);
    return sqrt(sum);
}

static void assignment_of_samples(void **state) {
    (void)state;
    for (int spherical = 0; spherical < 2; spherical++) {
        dltf_clusters *clusters = trained(spherical, 0);
        dltf_clusters_view view = dltf_clusters_get(clusters);
        int32_t nearest[N], other[N];
        double distance[N];
        dltf_matrix centers = dltf_matrix_f32(view.centers, C, n);
        assert_int_equal(dltf_centers_assign(centers, samples(), spherical, 2, NULL, NULL, nearest, distance),
                         DLTF_OK);
        assert_int_equal(dltf_centers_assign(centers, samples(), spherical, 1, NULL, NULL, other, NULL),
                         DLTF_OK);
        assert_memory_equal(nearest, other, sizeof nearest);
        assert_memory_equal(nearest, view.assignment, sizeof nearest);
        for (int i = 0; i < N; i++) {
            double best = INFINITY;
            for (int j = 0; j < C; j++)
                best = fmin(best, distance_to(x + i * n, view.centers + j * n, spherical));
            assert_true(fabs(distance[i] - best) < 1e-4 * (1 + best));
        }
        dltf_clusters_free(clusters);
    }
}

/* Centers at which k-means has converged are a fixed point. */
static void training_from_centers(void **state) {
    (void)state;
    for (int spherical = 0; spherical < 2; spherical++) {
        dltf_clusters *clusters = trained(spherical, 0), *again = NULL;
        dltf_clusters_view view = dltf_clusters_get(clusters);
        dltf_options *options =
            OPTIONS("cluster", "spherical", spherical ? "true" : "false", "tolerance", "0");
        dltf_array *centers = NULL;
        assert_int_equal(dltf_array_borrow(view.centers, "float32", C, n, n, 1, &centers), DLTF_OK);
        assert_survives_lack_of_memory(dltf_bind_clusters_train_from(X, centers, options, NULL, NULL, &again),
                                       5);
        dltf_clusters_view found = dltf_clusters_get(again);
        assert_memory_equal(found.assignment, view.assignment, N * sizeof *view.assignment);
        assert_true(found.converged && found.iterations <= 2);
        assert_true(fabs(found.inertia - view.inertia) < 1e-5 * view.inertia);
        dltf_array_free(centers);
        dltf_clusters_free(again);
        dltf_options_free(options);
        dltf_clusters_free(clusters);
    }
}

static void centers_that_do_not_fit(void **state) {
    (void)state;
    float centers[C * n] = {0};
    const float nan[n] = {NAN};
    dltf_cluster_options options = dltf_cluster_options_default();
    dltf_clusters *clusters = NULL;
    int32_t nearest[N];
    memcpy(centers, x, sizeof centers);
    dltf_matrix some = dltf_matrix_f32(centers, C, n), narrow = dltf_matrix_f32(centers, C, n - 1);
    options.clusters = C + 1;
    assert_fails(dltf_clusters_train_from(samples(), some, &options, NULL, NULL, &clusters), DLTF_ARGUMENT,
                 "clusters: 7 clusters, but 6 centers");
    assert_fails(dltf_clusters_train_from(samples(), narrow, NULL, NULL, NULL, &clusters), DLTF_DATA,
                 "5 columns, but the centers have 4");
    assert_fails(
        dltf_clusters_train_from(samples(), dltf_matrix_f32(x, N + 1, n), NULL, NULL, NULL, &clusters),
        DLTF_ARGUMENT, "400 samples cannot form 401");
    assert_fails(dltf_clusters_train_from(samples(), dltf_matrix_f32(nan, 1, n), NULL, NULL, NULL, &clusters),
                 DLTF_DATA, "centers: row 0");
    assert_fails(dltf_centers_assign(narrow, samples(), false, 1, NULL, NULL, nearest, NULL), DLTF_DATA,
                 "5 columns");
    assert_fails(dltf_centers_assign(some, dltf_matrix_f32(nan, 1, n), false, 1, NULL, NULL, nearest, NULL),
                 DLTF_DATA, "data: row 0");
    assert_fails(
        dltf_centers_assign(some, dltf_matrix_f32((float[n]){0}, 1, n), true, 1, NULL, NULL, nearest, NULL),
        DLTF_DATA, "no direction");
    assert_null(clusters);
}

typedef struct stop {
    int at, seen;
    bool saved;
} stop;

static int save_and_stop(void *context, const char *task, int64_t done, int64_t total, const char *stage,
                         int64_t index, double error, const struct dltf_state *state) {
    stop *s = context;
    (void)task, (void)done, (void)total, (void)stage, (void)index, (void)error;
    if (s->seen++ != s->at || !state)
        return 0;
    assert_int_equal(dltf_state_save(state, path), DLTF_OK);
    s->saved = true;
    return 1;
}

static void assert_same_clusters(const dltf_clusters *a, const dltf_clusters *b) {
    dltf_clusters_view p = dltf_clusters_get(a), q = dltf_clusters_get(b);
    assert_memory_equal(p.centers, q.centers, (size_t)(p.clusters * p.cols) * sizeof *p.centers);
    assert_memory_equal(p.assignment, q.assignment, (size_t)p.samples * sizeof *p.assignment);
}

static void interrupted_and_resumed(void **state) {
    (void)state;
    dltf_options *options = OPTIONS("cluster", "tolerance", "0");
    dltf_array *centers = NULL;
    dltf_clusters *expected = NULL, *found = NULL;
    assert_int_equal(dltf_array_borrow(x, "float32", C, n, n, 1, &centers), DLTF_OK);
    assert_int_equal(dltf_bind_clusters_train_from(X, centers, options, NULL, NULL, &expected), DLTF_OK);
    for (int at = 0; at < 3; at++) {
        stop s = {.at = at};
        assert_fails(dltf_bind_clusters_train_from(X, centers, options, save_and_stop, &s, &found),
                     DLTF_CANCELLED, "");
        assert_true(s.saved);
        assert_int_equal(dltf_bind_clusters_resume(path, X, 1, NULL, NULL, &found), DLTF_OK);
        assert_same_clusters(found, expected);
        dltf_clusters_free(found);
    }
    dltf_clusters_free(expected);
    dltf_array_free(centers);
    dltf_options_free(options);
}

/* The same for codes and for hashers. */
static void other_checkpoints(void **state) {
    (void)state;
    static uint8_t expected_bits[N * 2], bits[N * 2];
    const float atoms[] = {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0};
    dltf_model_view parts = {.m = 3, .n = n, .k = 2, .dictionary = atoms};
    dltf_options *kmeans = OPTIONS("cluster", "clusters", "4"),
                 *itq = OPTIONS("hash", "method", "sph", "bits", "16");
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    dltf_clusters *expected = NULL, *found = NULL;
    dltf_hasher *hasher = NULL, *resumed = NULL;
    stop s = {.at = 1}, t = {.at = 1};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_bind_encode(model, X, NULL, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_bind_clusters_train_codes(codes, kmeans, NULL, NULL, &expected), DLTF_OK);
    assert_fails(dltf_bind_clusters_train_codes(codes, kmeans, save_and_stop, &s, &found), DLTF_CANCELLED,
                 "");
    assert_int_equal(dltf_bind_clusters_resume_codes(path, codes, 1, NULL, NULL, &found), DLTF_OK);
    assert_same_clusters(found, expected);
    assert_int_equal(dltf_bind_hasher_train(X, itq, NULL, NULL, &hasher), DLTF_OK);
    assert_fails(dltf_bind_hasher_train(X, itq, save_and_stop, &t, &resumed), DLTF_CANCELLED, "");
    assert_true(t.saved);
    assert_int_equal(dltf_bind_hasher_resume(path, X, 1, NULL, NULL, &resumed), DLTF_OK);
    assert_int_equal(dltf_bind_hasher_apply(hasher, X, 1, NULL, NULL, expected_bits), DLTF_OK);
    assert_int_equal(dltf_bind_hasher_apply(resumed, X, 1, NULL, NULL, bits), DLTF_OK);
    assert_memory_equal(bits, expected_bits, sizeof bits);
    dltf_hasher_free(hasher);
    dltf_hasher_free(resumed);
    dltf_clusters_free(expected);
    dltf_clusters_free(found);
    dltf_codes_free(codes);
    dltf_model_free(model);
    dltf_options_free(kmeans);
    dltf_options_free(itq);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TESTS_MAIN(TEST(assignment_of_samples), TEST(training_from_centers), TEST(centers_that_do_not_fit),
           TEST(interrupted_and_resumed), TEST(other_checkpoints))
