/* Evaluation of binary codes: expected measures under ties against all orders, distances bit by bit,
 * Euclidean neighbours against sorting. */
#include "test_util.h"

#include "reference/hash.h"
#include "retrieval/grades.h"
#include "retrieval/relevance.h"
#include "retrieval/shells.h"

#include <math.h>

enum { MOST = 400 };

static double harmonic[MOST + 1];

static void fill_harmonic(void) {
    for (int64_t i = 1; i <= MOST; i++)
        harmonic[i] = harmonic[i - 1] + 1 / (double)i;
}

/* ---- Shells ---- */

static void count_shells(const double *distances, const bool *relevant, int64_t count, int64_t levels,
                         dl_shell *shells) {
    for (int64_t s = 0; s < levels; s++)
        shells[s] = (dl_shell){0, 0};
    for (int64_t i = 0; i < count; i++) {
        shells[(int64_t)distances[i]].samples++;
        shells[(int64_t)distances[i]].relevant += relevant[i];
    }
}

/* All orders of up to 7 samples with up to 3 different distances. */
static void ties_are_expectations(void **state) {
    (void)state;
    fill_harmonic();
    for (int trial = 0; trial < 300; trial++) {
        double distances[7];
        bool relevant[7];
        dl_shell shells[3];
        int64_t count = between(1, 7), depth = between(1, count), found = 0;
        for (int64_t i = 0; i < count; i++) {
            distances[i] = (double)below(3);
            relevant[i] = below(2) > 0;
            found += relevant[i];
        }
        count_shells(distances, relevant, count, 3, shells);
        double precision = dl_shells_average_precision(shells, 3, depth, harmonic);
        if (found == 0)
            assert_true(isnan(precision));
        else
            assert_true(fabs(precision - ref_expected_precision(distances, relevant, count, depth)) < 1e-12);
        assert_true(fabs(dl_shells_found(shells, 3, count) - (double)found) < 1e-12);
    }
}

/* One shell: the expected number of relevant samples among the first is proportional. */
static void found_in_shells(void **state) {
    (void)state;
    dl_shell shells[] = {{2, 1}, {0, 0}, {4, 3}, {1, 1}};
    const double expected[] = {0, 0.5, 1, 1.75, 2.5, 3.25, 4, 5};
    for (int64_t depth = 0; depth <= 7; depth++)
        assert_true(fabs(dl_shells_found(shells, 4, depth) - expected[depth]) < 1e-12);
}

/* ---- Ranks ---- */

static double spherical(int64_t differing, int64_t common) {
    return common > 0 ? (double)differing / (double)common : INFINITY;
}

static void grades_order_distances(void **state) {
    (void)state;
    const int64_t bits = 24;
    dl_grades grades;
    assert_int_equal(dl_grades_make(DLTF_DISTANCE_SPHERICAL, bits, &grades), DLTF_OK);
    bool used[1000] = {false};
    for (int64_t d = 0; d <= bits; d++)
        for (int64_t c = 0; c + d <= bits; c++) {
            int64_t grade = dl_grades_get(&grades, d, c + d, c);
            assert_in_range(grade, 0, grades.count - 1);
            used[grade] = true;
            for (int64_t d2 = 0; d2 <= bits; d2 += 5)
                for (int64_t c2 = 0; c2 + d2 <= bits; c2 += 3) {
                    int64_t other = dl_grades_get(&grades, d2, c2, c2 + d2);
                    double a = spherical(d, c), b = spherical(d2, c2);
                    assert_true(a < b ? grade < other : a > b ? grade > other : grade == other);
                }
        }
    for (int64_t r = 0; r < grades.count; r++)
        assert_true(used[r]);
    dl_grades_free(&grades);
    assert_int_equal(dl_grades_make(DLTF_DISTANCE_HAMMING, bits, &grades), DLTF_OK);
    assert_true(grades.count == bits + 1 && dl_grades_get(&grades, 7, 3, 4) == 7);
    dl_grades_free(&grades);
    assert_survives_lack_of_memory(dl_grades_make(DLTF_DISTANCE_SPHERICAL, 8, &grades), 2);
    dl_grades_free(&grades);
}

/* ---- Whole evaluations ---- */

enum { DATABASE = 12, QUERIES = 5 };

static uint8_t database[DATABASE * 3], queries[QUERIES * 3];
static int64_t labels[DATABASE], query_labels[QUERIES];

static void fill_codes(void) {
    for (int i = 0; i < DATABASE * 3; i++)
        database[i] = (uint8_t)below(256);
    for (int i = 0; i < QUERIES * 3; i++)
        queries[i] = database[below(DATABASE * 3)];
    for (int i = 0; i < DATABASE; i++)
        labels[i] = below(3);
    for (int i = 0; i < QUERIES; i++)
        query_labels[i] = below(4); /* 3 has no sample */
}

static double code_distance(dltf_hash_distance distance, int64_t q, int64_t i) {
    int64_t differing = ref_differing_bits(queries + 3 * q, database + 3 * i, 24);
    if (distance == DLTF_DISTANCE_HAMMING)
        return (double)differing;
    return spherical(differing, ref_common_bits(queries + 3 * q, database + 3 * i, 24));
}

/* The probability that sample i is among the first k. */
static double chance(const double *distances, int64_t i, int64_t k) {
    double nearer = 0, equal = 0;
    for (int64_t l = 0; l < DATABASE; l++) {
        nearer += distances[l] < distances[i];
        equal += distances[l] == distances[i];
    }
    return fmin(fmax(((double)k - nearer) / equal, 0), 1);
}

/* Means over the queries that have relevant samples, by all orders of equal distances. */
static dltf_retrieval expected_measures(dltf_hash_distance distance, int64_t depth, int64_t k) {
    dltf_retrieval sums = {.depth = depth, .k = k};
    for (int64_t q = 0; q < QUERIES; q++) {
        double distances[DATABASE];
        bool relevant[DATABASE];
        double all = 0, found = 0;
        for (int64_t i = 0; i < DATABASE; i++) {
            distances[i] = code_distance(distance, q, i);
            relevant[i] = labels[i] == query_labels[q];
            all += relevant[i];
        }
        for (int64_t i = 0; i < DATABASE; i++)
            found += relevant[i] ? chance(distances, i, k) : 0;
        if (all == 0)
            continue;
        sums.queries++;
        sums.relevant += all;
        sums.map += ref_expected_precision(distances, relevant, DATABASE, depth);
        sums.precision += found / (double)k;
        sums.recall += found / all;
    }
    return sums;
}

static void assert_mean(double mean, double sum, int64_t count) {
    assert_true(fabs(mean - sum / (double)count) < 1e-12);
}

static void codes_against_reference(void **state) {
    (void)state;
    dltf_matrix Q = dltf_matrix_u8(queries, QUERIES, 3), D = dltf_matrix_u8(database, DATABASE, 3);
    for (int trial = 0; trial < 20; trial++) {
        dltf_relevance *relevance = NULL;
        dltf_retrieval found;
        dltf_hash_evaluate_options o = dltf_hash_evaluate_options_default();
        fill_codes();
        query_labels[0] = labels[0];
        assert_int_equal(dltf_relevance_by_labels(labels, DATABASE, query_labels, QUERIES, &relevance),
                         DLTF_OK);
        o.distance = trial % 2 ? DLTF_DISTANCE_SPHERICAL : DLTF_DISTANCE_HAMMING;
        o.depth = trial % 3 ? between(1, DATABASE) : 0;
        o.k = between(1, DATABASE);
        o.threads = 1 + trial % 3;
        assert_int_equal(dltf_hashes_evaluate(D, Q, relevance, &o, NULL, NULL, &found), DLTF_OK);
        dltf_retrieval expected = expected_measures(o.distance, o.depth ? o.depth : DATABASE, o.k);
        assert_true(found.queries == expected.queries && found.k == o.k && found.depth == expected.depth);
        assert_mean(found.map, expected.map, expected.queries);
        assert_mean(found.precision, expected.precision, expected.queries);
        assert_mean(found.recall, expected.recall, expected.queries);
        assert_mean(found.relevant, expected.relevant, expected.queries);
        dltf_relevance_free(relevance);
    }
}

/* All of the database: precision is the share of relevant samples, recall is 1. Any layout of the codes. */
static void whole_database(void **state) {
    (void)state;
    fill_codes();
    uint8_t turned[DATABASE * 3];
    for (int i = 0; i < DATABASE * 3; i++)
        turned[i % 3 * DATABASE + i / 3] = database[i];
    dltf_matrix columns = {turned, DLTF_U8, DATABASE, 3, 1, DATABASE};
    dltf_matrix Q = dltf_matrix_u8(queries, QUERIES, 3), D = dltf_matrix_u8(database, DATABASE, 3);
    dltf_relevance *relevance = NULL;
    dltf_retrieval found, other;
    dltf_hash_evaluate_options o = dltf_hash_evaluate_options_default();
    for (int i = 0; i < QUERIES; i++)
        query_labels[i] = 1;
    labels[0] = 1;
    assert_int_equal(dltf_relevance_by_labels(labels, DATABASE, query_labels, QUERIES, &relevance), DLTF_OK);
    assert_int_equal(dltf_hashes_evaluate(D, Q, relevance, NULL, NULL, NULL, &found), DLTF_OK);
    assert_true(found.k == DATABASE && found.queries == QUERIES && fabs(found.recall - 1) < 1e-12);
    assert_true(fabs(found.precision - found.relevant / DATABASE) < 1e-12);
    assert_int_equal(dltf_hashes_evaluate(columns, Q, relevance, &o, NULL, NULL, &other), DLTF_OK);
    assert_memory_equal(&found, &other, sizeof found);
    dltf_relevance_free(relevance);
}

/* ---- Neighbours ---- */

enum { N = 300, n = 7, NQ = 140 };

static float X[N * n], Y[NQ * n];

static double euclidean(int64_t q, int64_t i) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += pow((double)Y[q * n + j] - (double)X[i * n + j], 2);
    return sum;
}

/* Samples on a grid, so that there are ties; far from the origin. */
static void fill_samples(void) {
    for (int i = 0; i < N * n; i++)
        X[i] = (float)(1000 + below(3));
    for (int i = 0; i < NQ * n; i++)
        Y[i] = (float)(1000 + below(3));
}

static void nearest_samples(void **state) {
    (void)state;
    dltf_relevance *first = NULL;
    fill_samples();
    for (int64_t threads = 1; threads <= 3; threads++) {
        dltf_relevance *r = NULL;
        assert_int_equal(dltf_relevance_by_nearest(dltf_matrix_f32(X, N, n), dltf_matrix_f32(Y, NQ, n), 20,
                                                   threads, NULL, NULL, &r),
                         DLTF_OK);
        for (int64_t q = 0; q < NQ; q++) {
            bool chosen[N] = {false};
            assert_int_equal(r->start[q + 1] - r->start[q], 20);
            for (int64_t e = r->start[q]; e < r->start[q + 1]; e++)
                chosen[r->index[e]] = true;
            for (int64_t i = 0; i < N; i++) { /* chosen: fewer than 20 are nearer, or equal and before it */
                int64_t before = 0;
                for (int64_t l = 0; l < N; l++)
                    before +=
                        euclidean(q, l) < euclidean(q, i) || (euclidean(q, l) == euclidean(q, i) && l < i);
                assert_int_equal(chosen[i], before < 20);
            }
        }
        if (first)
            assert_memory_equal(first->index, r->index, NQ * 20 * sizeof *r->index);
        if (first)
            dltf_relevance_free(r);
        else
            first = r;
    }
    dltf_relevance_free(first);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void samples_in_a_radius(void **state) {
    (void)state;
    dltf_relevance *r = NULL;
    double radius = 0;
    fill_normal(X, N * n);
    fill_normal(Y, NQ * n);
    for (int64_t q = 0; q < NQ; q++) {
        double distances[N];
        for (int64_t i = 0; i < N; i++)
            distances[i] = sqrt(euclidean(q, i));
        qsort(distances, N, sizeof *distances, compare);
        radius += distances[4] / NQ;
    }
    assert_int_equal(
        dltf_relevance_by_radius(dltf_matrix_f32(X, N, n), dltf_matrix_f32(Y, NQ, n), 5, 2, NULL, NULL, &r),
        DLTF_OK);
    assert_true(fabs(dltf_relevance_radius(r) - radius) < 1e-9);
    for (int64_t q = 0; q < NQ; q++) {
        int64_t e = r->start[q];
        for (int64_t i = 0; i < N; i++)
            if (sqrt(euclidean(q, i)) <= dltf_relevance_radius(r))
                assert_int_equal(r->index[e++], i);
        assert_int_equal(e, r->start[q + 1]);
    }
    dltf_relevance_free(r);
    r = NULL;
    assert_survives_lack_of_memory(
        dltf_relevance_by_radius(dltf_matrix_f32(X, 9, n), dltf_matrix_f32(Y, 3, n), 5, 1, NULL, NULL, &r),
        10);
    dltf_relevance_free(r);
}

static int cancel(void *context, const dltf_progress *progress) {
    (void)context;
    return progress->done > 0;
}

static void bad_input(void **state) {
    (void)state;
    dltf_matrix Q = dltf_matrix_u8(queries, QUERIES, 3), D = dltf_matrix_u8(database, DATABASE, 3);
    dltf_matrix P = dltf_matrix_f32(Y, NQ, n), S = dltf_matrix_f32(X, N, n);
    dltf_relevance *r = NULL, *none = NULL;
    dltf_retrieval found;
    dltf_hash_evaluate_options o = dltf_hash_evaluate_options_default();
    fill_codes();
    fill_samples();
    assert_fails(dltf_relevance_by_labels(labels, 3, labels, 0, &r), DLTF_ARGUMENT, "at least one");
    assert_fails(dltf_relevance_by_nearest(S, P, N + 1, 1, NULL, NULL, &r), DLTF_ARGUMENT,
                 "301 neighbours are out of range: the database has 300 samples");
    assert_fails(dltf_relevance_by_nearest(dltf_matrix_f32(X, N, n - 1), P, 3, 1, NULL, NULL, &r), DLTF_DATA,
                 "queries: 7 columns, but the database has 6");
    assert_fails(dltf_relevance_by_nearest(S, P, 3, 1, cancel, NULL, &r), DLTF_CANCELLED, "cancelled");
    Y[2 * n + 3] = NAN;
    assert_fails(dltf_relevance_by_nearest(S, P, 3, 1, NULL, NULL, &r), DLTF_DATA,
                 "queries: row 2, column 3 is NaN");
    assert_null(r);
    assert_int_equal(dltf_relevance_by_labels(labels, DATABASE, query_labels, QUERIES, &r), DLTF_OK);
    o.k = DATABASE + 1;
    assert_fails(dltf_hashes_evaluate(D, Q, r, &o, NULL, NULL, &found), DLTF_ARGUMENT,
                 "k: 13 is more than the 12 codes of the database");
    o.k = 0;
    o.depth = DATABASE + 1;
    assert_fails(dltf_hashes_evaluate(D, Q, r, &o, NULL, NULL, &found), DLTF_ARGUMENT, "depth: 13 is more");
    assert_fails(dltf_hashes_evaluate(dltf_matrix_u8(database, 18, 2), Q, r, NULL, NULL, NULL, &found),
                 DLTF_DATA, "queries: codes of 24 bits, but the database has 16");
    assert_fails(dltf_hashes_evaluate(dltf_matrix_u8(database, 11, 3), Q, r, NULL, NULL, NULL, &found),
                 DLTF_DATA, "relevance of 5 and 12");
    assert_fails(dltf_hashes_evaluate(dltf_matrix_f32(X, DATABASE, 3), Q, r, NULL, NULL, NULL, &found),
                 DLTF_DATA, "database: binary codes must be bytes");
    assert_fails(dltf_hashes_evaluate(D, Q, r, NULL, cancel, NULL, &found), DLTF_CANCELLED, "cancelled");
    for (int i = 0; i < QUERIES; i++)
        query_labels[i] = 99;
    assert_int_equal(dltf_relevance_by_labels(labels, DATABASE, query_labels, QUERIES, &none), DLTF_OK);
    assert_fails(dltf_hashes_evaluate(D, Q, none, NULL, NULL, NULL, &found), DLTF_DATA,
                 "no sample is relevant to any query");
    query_labels[0] = labels[0];
    assert_survives_lack_of_memory(dltf_hashes_evaluate(D, Q, r, NULL, NULL, NULL, &found), 6);
    dltf_relevance_free(r);
    dltf_relevance_free(none);
}

TESTS_MAIN(cmocka_unit_test(ties_are_expectations), cmocka_unit_test(found_in_shells),
           cmocka_unit_test(grades_order_distances), cmocka_unit_test(codes_against_reference),
           cmocka_unit_test(whole_database), cmocka_unit_test(nearest_samples),
           cmocka_unit_test(samples_in_a_radius), cmocka_unit_test(bad_input))
