/* k-means against plain loops in double, from the same initial centers; special cases and invariants. */
#include "test_util.h"

#include "cluster/lloyd.h"
#include "cluster/seeding.h"
#include "program/program.h"
#include "test_option_tables.h"

#include <float.h>
#include <math.h>

enum { N = 300, n = 37, C = 9 };

static float X[N * n];

/* Samples around `groups` points, at distance `offset` from the origin. */
static void fill_groups(int64_t groups, double spread, double offset) {
    float point[16 * n];
    fill_normal(point, groups * n);
    for (int64_t i = 0; i < N; i++)
        for (int64_t d = 0; d < n; d++)
            X[i * n + d] = (float)((double)point[i % groups * n + d] + spread * normal() + offset);
}

static dltf_cluster_options options_of(int64_t c) {
    dltf_cluster_options options = dltf_cluster_options_default();
    options.clusters = c;
    options.restarts = 3;
    return options;
}

static dltf_clusters *cluster(dltf_matrix data, const dltf_cluster_options *options) {
    dltf_clusters *clusters = NULL;
    dltf_status status = dltf_clusters_train(data, options, NULL, NULL, &clusters);
    if (status != DLTF_OK)
        fail_msg("%s", dltf_message());
    return clusters;
}

static double square_distance(const double *x, const double *y) {
    double sum = 0;
    for (int64_t d = 0; d < n; d++)
        sum += (x[d] - y[d]) * (x[d] - y[d]);
    return sum;
}

/* What holds for every result: sizes, nearest centers up to rounding, centers that are means if converged,
 * the inertia. */
static void check_result(dltf_matrix data, const dltf_clusters *clusters, double tolerance) {
    dltf_clusters_view v = dltf_clusters_get(clusters);
    double row[n], center[n], inertia = 0;
    int64_t sizes[N] = {0};
    assert_true(v.samples == data.rows && v.cols == n && v.converged);
    double *sums = calloc((size_t)(v.clusters * n), sizeof *sums);
    for (int64_t i = 0; i < v.samples; i++) {
        float sample[n];
        double least = INFINITY, own = 0;
        dltf_matrix_row(data, i, sample);
        widen(sample, n, row);
        assert_in_range(v.assignment[i], 0, v.clusters - 1);
        sizes[v.assignment[i]]++;
        for (int64_t j = 0; j < v.clusters; j++) {
            widen(v.centers + j * n, n, center);
            double square = square_distance(row, center);
            least = fmin(least, square);
            own = j == v.assignment[i] ? square : own;
        }
        assert_true(own <= least * (1 + 1e-5) + tolerance);
        inertia += own;
        for (int64_t d = 0; d < n; d++)
            sums[v.assignment[i] * n + d] += row[d];
    }
    for (int64_t j = 0; j < v.clusters; j++) {
        assert_true(sizes[j] > 0);
        assert_int_equal(sizes[j], v.sizes[j]);
        for (int64_t d = 0; d < n; d++)
            assert_true(fabs(sums[j * n + d] / (double)sizes[j] - (double)v.centers[j * n + d]) <=
                        1e-5 + 1e-6 * fabs((double)v.centers[j * n + d]));
    }
    assert_true(fabs(inertia - v.inertia) <= 1e-4 * inertia + (double)N * tolerance);
    free(sums);
}

/* ---- Lloyd's iteration from given centers ---- */

static bool go_on(void *context) {
    (void)context;
    return true;
}

/* One iteration in double: assignment to the nearest center, then means. Returns the inertia before the
 * means; `close` marks samples whose two nearest centers are too close to call. */
static double reference_step(const dl_points *points, double *centers, int64_t c, int32_t *assignment,
                             bool *close) {
    double inertia = 0, x[n], *sums = calloc((size_t)(c * n), sizeof *sums);
    int64_t sizes[N] = {0};
    for (int64_t i = 0; i < points->N; i++) {
        double best = INFINITY, second = INFINITY;
        widen(points->rows + i * n, n, x);
        for (int64_t j = 0; j < c; j++) {
            double square = square_distance(x, centers + j * n);
            if (square < best) {
                second = best;
                best = square;
                assignment[i] = (int32_t)j;
            } else
                second = fmin(second, square);
        }
        close[i] = close[i] || second - best < 1e-4 * second;
        inertia += best;
        sizes[assignment[i]]++;
        for (int64_t d = 0; d < n; d++)
            sums[assignment[i] * n + d] += x[d];
    }
    for (int64_t j = 0; j < c; j++)
        for (int64_t d = 0; d < n && sizes[j] > 0; d++)
            centers[j * n + d] = sums[j * n + d] / (double)sizes[j];
    free(sums);
    return inertia;
}

static void same_as_plain_loops(void **state) {
    (void)state;
    int compared = 0;
    for (int trial = 0; trial < 12; trial++) {
        dl_points points;
        dl_lloyd lloyd;
        int64_t c = 2 + trial, wrong = 0, unsure = 0;
        int32_t assignment[N];
        bool close[N] = {false};
        double centers[16 * n], inertia = 0;
        fill_groups(5, trial % 3 == 0 ? 3 : 0.8, trial % 4 == 0 ? 50 : 0);
        assert_int_equal(dl_points_dense(dltf_matrix_f32(X, N, n), false, &points), DLTF_OK);
        assert_int_equal(dl_lloyd_alloc(&lloyd, &points, c, false, 1), DLTF_OK);
        dl_lloyd_reset(&lloyd);
        for (int64_t j = 0; j < c; j++) {
            dl_points_copy(&points, 17 * j, lloyd.centers + j * n);
            widen(lloyd.centers + j * n, n, centers + j * n);
        }
        int64_t iterations = trial % 5;
        assert_int_equal(dl_lloyd_run(&lloyd, iterations, 0, go_on, NULL), DLTF_OK);
        for (int64_t t = 0; t <= iterations; t++)
            inertia = reference_step(&points, centers, c, assignment, close);
        for (int64_t i = 0; i < N; i++) {
            unsure += close[i];
            wrong += !close[i] && assignment[i] != lloyd.assignment[i];
        }
        assert_true(unsure < 6);
        if (unsure == 0) { /* otherwise the means may differ */
            compared++;
            assert_int_equal(wrong, 0);
            assert_true(fabs(inertia - lloyd.inertia) <= 1e-5 * inertia);
        }
        dl_lloyd_free(&lloyd);
        dl_points_free(&points);
    }
    assert_true(compared >= 6);
}

static void inertia_does_not_increase(void **state) {
    (void)state;
    fill_groups(7, 1.5, 0);
    double last = INFINITY;
    dltf_cluster_options options = options_of(C);
    options.restarts = 1;
    options.tolerance = 0;
    bool converged = false;
    for (options.iterations = 0; !converged; options.iterations++) {
        dltf_clusters *clusters = cluster(dltf_matrix_f32(X, N, n), &options);
        dltf_clusters_view v = dltf_clusters_get(clusters);
        assert_true(v.inertia <= last * (1 + 1e-7));
        assert_true(v.iterations <= options.iterations);
        last = v.inertia;
        converged = v.converged;
        dltf_clusters_free(clusters);
        assert_true(options.iterations < 200);
    }
    assert_true(options.iterations > 3);
}

static void results_are_consistent(void **state) {
    (void)state;
    static double wide[N * n];
    for (int64_t c = 1; c <= 40; c += c < 4 ? 1 : 9) {
        dltf_cluster_options options = options_of(c);
        fill_groups(6, 1, c % 2 == 0 ? 1000 : 0);
        dltf_clusters *clusters = cluster(dltf_matrix_f32(X, N, n), &options);
        check_result(dltf_matrix_f32(X, N, n), clusters, 1e-6);
        dltf_clusters_free(clusters);
    }
    /* The unit of the data does not matter. */
    fill_groups(4, 0.5, 0);
    dltf_cluster_options options = options_of(4);
    dltf_clusters *plain = cluster(dltf_matrix_f32(X, N, n), &options);
    for (int k = 0; k < 2; k++) {
        double unit = k == 0 ? 0x1p-100 : 0x1p100; /* squares overflow and underflow f32 */
        for (int64_t i = 0; i < N * n; i++)
            wide[i] = (double)X[i] * unit;
        dltf_clusters *scaled = cluster(dltf_matrix_f64(wide, N, n), &options);
        assert_memory_equal(dltf_clusters_get(plain).assignment, dltf_clusters_get(scaled).assignment,
                            N * sizeof(int32_t));
        double expected = dltf_clusters_get(plain).inertia * unit * unit;
        assert_true(fabs(dltf_clusters_get(scaled).inertia - expected) <= 1e-6 * expected);
        dltf_clusters_free(scaled);
    }
    dltf_clusters_free(plain);
}

/* Far from the origin, in double: the groups are smaller than the rounding of f32 there. */
static void groups_far_away(void **state) {
    (void)state;
    static double wide[N * n];
    fill_groups(4, 0.01, 0);
    for (int64_t i = 0; i < N * n; i++)
        wide[i] = 1e9 + (double)X[i];
    dltf_cluster_options options = options_of(4);
    dltf_clusters *clusters = cluster(dltf_matrix_f64(wide, N, n), &options);
    const int32_t *assignment = dltf_clusters_get(clusters).assignment;
    for (int64_t i = 4; i < N; i++)
        assert_int_equal(assignment[i], assignment[i % 4]);
    dltf_clusters_free(clusters);
}

/* ---- Special cases ---- */

static void one_cluster_each(void **state) {
    (void)state;
    fill_groups(16, 2, 0);
    dltf_cluster_options options = options_of(60);
    dltf_clusters *clusters = cluster(dltf_matrix_f32(X, 60, n), &options);
    dltf_clusters_view v = dltf_clusters_get(clusters);
    bool taken[60] = {false};
    for (int64_t i = 0; i < 60; i++) {
        assert_false(taken[v.assignment[i]]);
        taken[v.assignment[i]] = true;
        assert_int_equal(v.sizes[i], 1);
    }
    assert_true(v.inertia < 1e-9 && v.converged);
    dltf_clusters_free(clusters);
}

/* Fewer distinct samples than clusters: no cluster is empty, the inertia is 0. */
static void duplicates(void **state) {
    (void)state;
    for (int64_t distinct = 1; distinct <= 4; distinct++) {
        fill_normal(X, distinct * n);
        for (int64_t i = distinct; i < 50; i++)
            memcpy(X + i * n, X + i % distinct * n, n * sizeof *X);
        dltf_cluster_options options = options_of(6);
        for (int spherical = 0; spherical < 2; spherical++) {
            options.spherical = spherical;
            dltf_clusters *clusters = cluster(dltf_matrix_f32(X, 50, n), &options);
            dltf_clusters_view v = dltf_clusters_get(clusters);
            for (int64_t j = 0; j < 6; j++)
                assert_true(v.sizes[j] >= 1);
            assert_true(v.inertia < 1e-9 && v.converged);
            dltf_clusters_free(clusters);
        }
    }
    memset(X, 0, sizeof X);
    dltf_cluster_options options = options_of(3);
    dltf_clusters *clusters = cluster(dltf_matrix_f32(X, 20, n), &options);
    assert_true(dltf_clusters_get(clusters).inertia == 0);
    dltf_clusters_free(clusters);
}

/* A center without samples takes the farthest one. */
static void empty_cluster_takes_the_farthest(void **state) {
    (void)state;
    float line[6] = {0, 1, 2, 3, 4, 10};
    dl_points points;
    dl_lloyd lloyd;
    assert_int_equal(dl_points_dense(dltf_matrix_f32(line, 6, 1), false, &points), DLTF_OK);
    assert_int_equal(dl_lloyd_alloc(&lloyd, &points, 2, false, 1), DLTF_OK);
    dl_lloyd_reset(&lloyd);
    lloyd.centers[0] = points.rows[2];
    lloyd.centers[1] = 100 * points.rows[5];
    for (int j = 0; j < 2; j++)
        lloyd.square[j] = (double)lloyd.centers[j] * (double)lloyd.centers[j];
    assert_int_equal(dl_lloyd_run(&lloyd, 0, 0, go_on, NULL), DLTF_OK);
    assert_int_equal(lloyd.assignment[5], 1);
    assert_true(lloyd.sizes[0] == 5 && lloyd.sizes[1] == 1 && lloyd.centers[1] == points.rows[5]);
    assert_int_equal(dl_lloyd_run(&lloyd, 50, 0, go_on, NULL), DLTF_OK);
    assert_true(lloyd.converged && lloyd.sizes[1] == 1);
    assert_true(fabs(lloyd.inertia / points.scale / points.scale - 10) < 1e-5);
    dl_lloyd_free(&lloyd);
    dl_points_free(&points);
}

static void same_bytes_for_any_threads(void **state) {
    (void)state;
    fill_groups(12, 1.2, 3);
    dltf_clusters *first = NULL;
    for (int64_t threads = 1; threads <= 3; threads++) {
        dltf_cluster_options options = options_of(20);
        options.threads = threads;
        dltf_clusters *clusters = cluster(dltf_matrix_f32(X, N, n), &options);
        if (!first) {
            first = clusters;
            continue;
        }
        dltf_clusters_view a = dltf_clusters_get(first), b = dltf_clusters_get(clusters);
        assert_memory_equal(a.assignment, b.assignment, N * sizeof *a.assignment);
        assert_memory_equal(a.centers, b.centers, 20 * n * sizeof *a.centers);
        assert_true(a.inertia == b.inertia && a.restart == b.restart && a.iterations == b.iterations);
        dltf_clusters_free(clusters);
    }
    dltf_clusters_free(first);
}

/* More restarts with the same seed include the fewer ones. */
static void restarts_keep_the_best(void **state) {
    (void)state;
    fill_groups(13, 0.6, 0);
    double last = INFINITY;
    for (int64_t restarts = 1; restarts <= 8; restarts++) {
        dltf_cluster_options options = options_of(13);
        options.restarts = restarts;
        dltf_clusters *clusters = cluster(dltf_matrix_f32(X, N, n), &options);
        dltf_clusters_view v = dltf_clusters_get(clusters);
        assert_true(v.inertia <= last && v.restart < restarts);
        last = v.inertia;
        dltf_clusters_free(clusters);
    }
}

static void spherical_clusters(void **state) {
    (void)state;
    fill_groups(4, 0.1, 0);
    for (int64_t i = 0; i < N; i++)
        for (int64_t d = 0; d < n; d++)
            X[i * n + d] *= (float)(1 + i % 50);
    dltf_cluster_options options = options_of(4);
    options.spherical = true;
    dltf_clusters *clusters = cluster(dltf_matrix_f32(X, N, n), &options);
    dltf_clusters_view v = dltf_clusters_get(clusters);
    for (int64_t i = 4; i < N; i++)
        assert_int_equal(v.assignment[i], v.assignment[i % 4]);
    for (int64_t j = 0; j < 4; j++) {
        double square = 0;
        for (int64_t d = 0; d < n; d++)
            square += (double)v.centers[j * n + d] * (double)v.centers[j * n + d];
        assert_true(fabs(square - 1) < 1e-6);
    }
    dltf_clusters_free(clusters);
    /* Opposite samples cancel out, and their center stays. */
    float opposite[4] = {1, 0, -1, 0};
    options.clusters = 1;
    clusters = cluster(dltf_matrix_f32(opposite, 2, 2), &options);
    assert_true(fabs((double)dltf_clusters_get(clusters).centers[0]) == 1);
    assert_true(fabs(dltf_clusters_get(clusters).inertia - 4) < 1e-6);
    dltf_clusters_free(clusters);
    memset(X + 7 * n, 0, n * sizeof *X);
    assert_fails(dltf_clusters_train(dltf_matrix_f32(X, N, n), &options, NULL, NULL, &clusters), DLTF_DATA,
                 "data: row 7 is all zero");
}

/* ---- Codes ---- */

/* The rows of X with most entries dropped; row 5 and every 50th are empty. */
static dltf_codes *make_codes(void) {
    static int64_t indptr[N + 1];
    static int32_t indices[N * n];
    static float values[N * n];
    int64_t at = 0;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t d = 0; d < n; d++) {
            if (i == 5 || i % 50 == 0 || (d + i) % 3 != 0)
                X[i * n + d] = 0;
            if (X[i * n + d] == 0)
                continue;
            indices[at] = (int32_t)d;
            values[at++] = X[i * n + d];
        }
        indptr[i + 1] = at;
    }
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_codes_new((dltf_csr){N, n, indptr, indices, values, NULL}, &codes), DLTF_OK);
    return codes;
}

static void codes_like_rows(void **state) {
    (void)state;
    fill_groups(5, 0.7, 0);
    dltf_codes *codes = make_codes();
    dltf_cluster_options options = options_of(8);
    dltf_clusters *sparse = NULL;
    assert_int_equal(dltf_clusters_train_codes(codes, &options, NULL, NULL, &sparse), DLTF_OK);
    check_result(dltf_matrix_f32(X, N, n), sparse, 1e-6);
    const int32_t *assignment = dltf_clusters_get(sparse).assignment;
    for (int64_t i = 0; i < N; i += 50)
        assert_int_equal(assignment[i], assignment[5]);
    for (int64_t threads = 1; threads <= 3; threads++) {
        dltf_clusters *again = NULL;
        options.threads = threads;
        assert_int_equal(dltf_clusters_train_codes(codes, &options, NULL, NULL, &again), DLTF_OK);
        assert_memory_equal(assignment, dltf_clusters_get(again).assignment, N * sizeof *assignment);
        assert_true(dltf_clusters_get(sparse).inertia == dltf_clusters_get(again).inertia);
        dltf_clusters_free(again);
    }
    dltf_clusters_free(sparse);
    options.spherical = true;
    assert_fails(dltf_clusters_train_codes(codes, &options, NULL, NULL, &sparse), DLTF_DATA,
                 "codes: row 0 is all zero");
    options.clusters = N + 1;
    assert_fails(dltf_clusters_train_codes(codes, &options, NULL, NULL, &sparse), DLTF_ARGUMENT,
                 "codes: 300 samples cannot form 301 clusters");
    dltf_codes_free(codes);
}

/* ---- Errors ---- */

static void bad_input(void **state) {
    (void)state;
    dltf_clusters *clusters = NULL;
    fill_normal(X, N * n);
    dltf_cluster_options options = options_of(N + 1);
    assert_fails(dltf_clusters_train(dltf_matrix_f32(X, N, n), &options, NULL, NULL, &clusters),
                 DLTF_ARGUMENT, "data: 300 samples cannot form 301 clusters");
    options = dltf_cluster_options_default();
    assert_fails(dltf_clusters_train(dltf_matrix_f32(X, N, n), &options, NULL, NULL, &clusters),
                 DLTF_ARGUMENT, "clusters: the number of clusters is missing");
    options = options_of(3);
    options.tolerance = -1;
    assert_fails(dltf_clusters_train(dltf_matrix_f32(X, N, n), &options, NULL, NULL, &clusters),
                 DLTF_ARGUMENT, "tolerance: -1 is outside 0 .. 1");
    for (int spherical = 0; spherical < 2; spherical++) {
        options = options_of(3);
        options.spherical = spherical;
        X[4 * n + 2] = NAN;
        assert_fails(dltf_clusters_train(dltf_matrix_f32(X, N, n), &options, NULL, NULL, &clusters),
                     DLTF_DATA, "data: row 4, column 2 is NaN");
        X[4 * n + 2] = -INFINITY;
        assert_fails(dltf_clusters_train(dltf_matrix_f32(X, N, n), &options, NULL, NULL, &clusters),
                     DLTF_DATA, "data: row 4, column 2 is infinite");
    }
    const double huge[2] = {1, -1e39}, tiny[2] = {0, 1e-310};
    options = options_of(1);
    assert_fails(dltf_clusters_train(dltf_matrix_f64(huge, 2, 1), &options, NULL, NULL, &clusters), DLTF_DATA,
                 "data: row 1, column 0 is -1e+39 (counting from 0), beyond the range of single precision");
    assert_fails(dltf_clusters_train(dltf_matrix_f64(tiny, 2, 1), &options, NULL, NULL, &clusters),
                 DLTF_NUMERIC, "underflow");
    assert_null(clusters);
}

static int calls, cancel_at;

static int count_calls(void *context, const dltf_progress *progress) {
    (void)context;
    assert_string_equal(progress->task, "clustering");
    assert_true(progress->done <= progress->total);
    return ++calls == cancel_at;
}

static void progress_and_cancel(void **state) {
    (void)state;
    dltf_clusters *clusters = NULL;
    fill_groups(8, 1, 0);
    dltf_cluster_options options = options_of(8);
    calls = cancel_at = 0;
    assert_int_equal(dltf_clusters_train(dltf_matrix_f32(X, N, n), &options, count_calls, NULL, &clusters),
                     DLTF_OK);
    dltf_clusters_free(clusters);
    int all = calls;
    assert_true(all > options.restarts);
    for (cancel_at = 1; cancel_at < all; cancel_at++) {
        calls = 0;
        assert_fails(dltf_clusters_train(dltf_matrix_f32(X, N, n), &options, count_calls, NULL, &clusters),
                     DLTF_CANCELLED, "cancelled");
        assert_int_equal(calls, cancel_at);
        assert_null(clusters);
    }
}

static dltf_status run_once(void) {
    dltf_clusters *clusters = NULL;
    dltf_cluster_options options = options_of(5);
    options.threads = 1;
    dltf_status status = dltf_clusters_train(dltf_matrix_f32(X, 40, n), &options, NULL, NULL, &clusters);
    dltf_clusters_free(clusters);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    fill_groups(5, 1, 0);
    assert_survives_lack_of_memory(run_once(), 20);
}

static void option_table(void **state) {
    (void)state;
    assert_consistent_table(dl_cluster_option_table());
}

TESTS_MAIN(cmocka_unit_test(same_as_plain_loops), cmocka_unit_test(inertia_does_not_increase),
           cmocka_unit_test(results_are_consistent), cmocka_unit_test(groups_far_away),
           cmocka_unit_test(one_cluster_each), cmocka_unit_test(duplicates),
           cmocka_unit_test(empty_cluster_takes_the_farthest), cmocka_unit_test(same_bytes_for_any_threads),
           cmocka_unit_test(restarts_keep_the_best), cmocka_unit_test(spherical_clusters),
           cmocka_unit_test(codes_like_rows), cmocka_unit_test(bad_input),
           cmocka_unit_test(progress_and_cancel), cmocka_unit_test(out_of_memory),
           cmocka_unit_test(option_table))
