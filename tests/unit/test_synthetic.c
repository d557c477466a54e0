/* The synthetic problem: that it is what it claims to be, and that the same seed always gives the same bytes.
 */
#include "dltf.h"

#include "base/memory.h"
#include "data/codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static dltf_synthetic *make(int64_t n, int64_t m, int64_t k, int64_t samples, double noise, int64_t seed) {
    dltf_synthetic_options spec = {
        sizeof(dltf_synthetic_options), n, m, k, samples, noise, seed, DLTF_ENTRIES_ONES};
    dltf_synthetic *problem = NULL;
    assert_int_equal(dltf_synthetic_new(&spec, NULL, NULL, &problem), DLTF_OK);
    return problem;
}

static const float *floats(dltf_matrix matrix) {
    assert_int_equal(matrix.type, DLTF_F32);
    return matrix.data;
}

static void shapes_and_codes(void **state) {
    (void)state;
    dltf_synthetic *problem = make(10, 17, 3, 200, 0.1, 1);
    dltf_matrix W0 = dltf_synthetic_dictionary(problem);
    assert_true(W0.rows == 17 && W0.cols == 10);
    for (int i = 0; i < 17; i++) {
        double norm = 0;
        for (int j = 0; j < 10; j++)
            norm += (double)floats(W0)[i * 10 + j] * (double)floats(W0)[i * 10 + j];
        assert_true(fabs(norm - 1) < 1e-6);
    }
    for (int test = 0; test < 2; test++) {
        dltf_matrix X = dltf_synthetic_samples(problem, test);
        dltf_csr Z = dltf_codes_csr(dltf_synthetic_codes(problem, test));
        assert_true(X.rows == 200 && X.cols == 10 && Z.rows == 200 && Z.cols == 17);
        assert_int_equal(dl_codes_check(Z), DLTF_OK);
        for (int i = 0; i < 200; i++)
            assert_int_equal(Z.indptr[i + 1] - Z.indptr[i], 3);
        for (int e = 0; e < 600; e++)
            assert_true(Z.values[e] == 1);
    }
    dltf_synthetic_free(problem);
    dltf_synthetic_free(NULL);
}

/* k = m leaves no choice; k = 1 and m = 1 are legal. */
static void smallest_and_fullest(void **state) {
    (void)state;
    dltf_synthetic *problem = make(1, 1, 1, 1, 0, 5);
    assert_true(fabsf(floats(dltf_synthetic_samples(problem, false))[0]) == 1);
    dltf_synthetic_free(problem);
    problem = make(3, 6, 6, 5, 0, 1);
    dltf_csr Z = dltf_codes_csr(dltf_synthetic_codes(problem, true));
    for (int e = 0; e < 30; e++)
        assert_int_equal(Z.indices[e], e % 6);
    dltf_synthetic_free(problem);
}

/* X - Z W0^T of the returned parts, and with it the noise. */
static void noise_is_as_asked(void **state) {
    (void)state;
    enum { N = 2000, n = 20, K = 4 };
    const double sds[] = {0, 0.1, 3};
    for (int s = 0; s < 3; s++)
        for (int test = 0; test < 2; test++) {
            dltf_synthetic *problem = make(n, 30, K, N, sds[s], 9);
            const float *W0 = floats(dltf_synthetic_dictionary(problem));
            const float *X = floats(dltf_synthetic_samples(problem, test));
            dltf_csr Z = dltf_codes_csr(dltf_synthetic_codes(problem, test));
            double sum = 0, square = 0;
            for (int i = 0; i < N; i++)
                for (int j = 0; j < n; j++) {
                    double noise = (double)X[i * n + j];
                    for (int64_t e = Z.indptr[i]; e < Z.indptr[i + 1]; e++)
                        noise -= (double)W0[Z.indices[e] * n + j];
                    assert_true(sds[s] > 0 || fabs(noise) < 1e-6);
                    sum += noise;
                    square += noise * noise;
                }
            /* 40,000 draws: the mean has sd sds/200, the variance relative sd sqrt(2)/200. Five of them. */
            assert_true(fabs(sum / (N * n)) <= 5 * sds[s] / 200 + 1e-7);
            assert_true(fabs(square / (N * n) - sds[s] * sds[s]) <= 5 * 0.00707 * sds[s] * sds[s] + 1e-12);
            dltf_synthetic_free(problem);
        }
}

static void atoms_are_used_alike(void **state) {
    (void)state;
    enum { N = 8000, M = 40, K = 5 };
    dltf_synthetic *problem = make(2, M, K, N, 0, 4);
    for (int test = 0; test < 2; test++) {
        dltf_csr Z = dltf_codes_csr(dltf_synthetic_codes(problem, test));
        double use[M] = {0}, both[M] = {0}, chi_use = 0, chi_both = 0;
        for (int e = 0; e < N * K; e++)
            use[Z.indices[e]]++;
        for (int i = 0; i < N; i++) /* pairs: with which other atoms atom 0 appears */
            for (int e = 1; e < K && Z.indices[i * K] == 0; e++)
                both[Z.indices[i * K + e]]++;
        const double expected = (double)N * K / M, pairs = use[0] * (K - 1) / (M - 1);
        for (int j = 0; j < M; j++) {
            chi_use += (use[j] - expected) * (use[j] - expected) / expected;
            chi_both += j > 0 ? (both[j] - pairs) * (both[j] - pairs) / pairs : 0;
        }
        /* chi-square with 39 (38) degrees of freedom, less (1 - k/m) for the fixed k: mean 34, sd 8. */
        assert_true(chi_use > 8 && chi_use < 80);
        assert_true(chi_both > 8 && chi_both < 80);
    }
    dltf_synthetic_free(problem);
}

static void same_seed_same_bytes(void **state) {
    (void)state;
    dltf_synthetic *a = make(8, 16, 3, 150, 0.1, 11), *b = make(8, 16, 3, 150, 0.1, 11);
    dltf_synthetic *other = make(8, 16, 3, 150, 0.1, 12), *longer = make(8, 16, 3, 300, 0.1, 11);
    const size_t bytes = 150 * 8 * sizeof(float), places = 150 * 3 * sizeof(int32_t);
    assert_memory_equal(dltf_synthetic_dictionary(a).data, dltf_synthetic_dictionary(b).data, 16 * 8 * 4);
    assert_memory_not_equal(dltf_synthetic_dictionary(a).data, dltf_synthetic_dictionary(other).data,
                            16 * 8 * 4);
    for (int test = 0; test < 2; test++) {
        const void *X = dltf_synthetic_samples(a, test).data;
        const int32_t *Z = dltf_codes_csr(dltf_synthetic_codes(a, test)).indices;
        assert_memory_equal(X, dltf_synthetic_samples(b, test).data, bytes);
        assert_memory_equal(Z, dltf_codes_csr(dltf_synthetic_codes(b, test)).indices, places);
        assert_memory_not_equal(X, dltf_synthetic_samples(other, test).data, bytes);
        assert_memory_not_equal(Z, dltf_codes_csr(dltf_synthetic_codes(other, test)).indices, places);
        assert_memory_equal(X, dltf_synthetic_samples(longer, test).data, bytes);
    }
    assert_memory_not_equal(dltf_synthetic_samples(a, false).data, dltf_synthetic_samples(a, true).data,
                            bytes);
    assert_memory_not_equal(dltf_codes_csr(dltf_synthetic_codes(a, false)).indices,
                            dltf_codes_csr(dltf_synthetic_codes(a, true)).indices, places);
    dltf_synthetic_free(a);
    dltf_synthetic_free(b);
    dltf_synthetic_free(other);
    dltf_synthetic_free(longer);
}

/* Samples are far from one another, in the same set and across the sets: no draw is used twice. */
static void samples_are_independent(void **state) {
    (void)state;
    enum { N = 60, n = 50 };
    dltf_synthetic *problem = make(n, 1, 1, N, 1, 2);
    const float *W0 = floats(dltf_synthetic_dictionary(problem));
    double noise[2 * N][n];
    for (int i = 0; i < 2 * N; i++)
        for (int j = 0; j < n; j++)
            noise[i][j] =
                (double)floats(dltf_synthetic_samples(problem, i >= N))[i % N * n + j] - (double)W0[j];
    for (int a = 0; a < 2 * N; a++)
        for (int b = 0; b < a; b++) {
            double product = 0;
            for (int j = 0; j < n; j++)
                product += noise[a][j] * noise[b][j];
            assert_true(fabs(product) < 6 * sqrt(n));
        }
    dltf_synthetic_free(problem);
}

/* The same supports and noise, other entries: their mean, variance and range, and X computed from them. */
static void kinds_of_entries(void **state) {
    (void)state;
    enum { N = 5000, n = 6, M = 9, K = 3 };
    const struct {
        double mean, variance, least, most;
    } wanted[] = {{1, 0, 1, 1}, {0, 1, -1, 1}, {1, 1.0 / 12, 0.5, 1.5}, {0, 1, -9, 9}};
    for (int kind = DLTF_ENTRIES_ONES; kind <= DLTF_ENTRIES_GAUSSIAN; kind++)
        for (int test = 0; test < 2; test++) {
            dltf_synthetic_options spec = {
                sizeof(dltf_synthetic_options), n, M, K, N, 0, 4, (dltf_entries)kind};
            dltf_synthetic *problem = NULL, *ones = make(n, M, K, N, 0, 4);
            assert_int_equal(dltf_synthetic_new(&spec, NULL, NULL, &problem), DLTF_OK);
            dltf_csr Z = dltf_codes_csr(dltf_synthetic_codes(problem, test));
            assert_int_equal(dl_codes_check(Z), DLTF_OK);
            assert_memory_equal(Z.indices, dltf_codes_csr(dltf_synthetic_codes(ones, test)).indices,
                                N * K * sizeof *Z.indices);
            double sum = 0, square = 0;
            for (int e = 0; e < N * K; e++) {
                double z = (double)Z.values[e];
                assert_true(z >= wanted[kind].least && z <= wanted[kind].most && z != 0);
                assert_true(kind != DLTF_ENTRIES_SIGNS || fabs(z) == 1);
                sum += z / (N * K);
                square += z * z / (N * K);
            }
            assert_true(fabs(sum - wanted[kind].mean) < 0.05);
            assert_true(fabs(square - sum * sum - wanted[kind].variance) < 0.05);
            const float *W0 = floats(dltf_synthetic_dictionary(problem));
            const float *X = floats(dltf_synthetic_samples(problem, test));
            for (int i = 0; i < N * n; i++) {
                double x = (double)X[i];
                for (int64_t e = Z.indptr[i / n]; e < Z.indptr[i / n + 1]; e++)
                    x -= (double)Z.values[e] * (double)W0[Z.indices[e] * n + i % n];
                assert_true(fabs(x) < 1e-5);
            }
            dltf_synthetic_free(problem);
            dltf_synthetic_free(ones);
        }
}

static void refusals(void **state) {
    (void)state;
    enum { SIZE = sizeof(dltf_synthetic_options) };
    const double nan = (double)NAN;
    const struct {
        dltf_synthetic_options spec;
        const char *reason;
    } bad[] = {
        {{SIZE, 0, 4, 2, 5, 0, 1, DLTF_ENTRIES_ONES}, "n: 0 is outside"},
        {{SIZE, 3, 0, 2, 5, 0, 1, DLTF_ENTRIES_ONES}, "m: 0 is outside"},
        {{SIZE, 3, 4, 0, 5, 0, 1, DLTF_ENTRIES_ONES}, "k: 0 is outside"},
        {{SIZE, 3, 4, 2, -1, 0, 1, DLTF_ENTRIES_ONES}, "samples: -1 is outside"},
        {{SIZE, 3, 4, 5, 5, 0, 1, DLTF_ENTRIES_ONES}, "k: 5 is more than the 4 atoms (m)"},
        {{SIZE, 3, 4, 2, 5, -0.1, 1, DLTF_ENTRIES_ONES}, "noise: -0.1 is outside"},
        {{SIZE, 3, 4, 2, 5, nan, 1, DLTF_ENTRIES_ONES}, "noise: "},
        {{SIZE, 3, 4, 2, 5, (double)INFINITY, 1, DLTF_ENTRIES_ONES}, "noise: "},
        {{SIZE, 3, INT64_C(1) << 40, 2, 5, 0, 1, DLTF_ENTRIES_ONES}, "is outside"},
        {{SIZE, 3, 4, 2, INT64_MAX, 0, 1, DLTF_ENTRIES_ONES}, "is outside"},
        {{SIZE, INT64_MAX, 4, 2, 5, 0, 1, DLTF_ENTRIES_ONES}, "is outside"},
        {{SIZE, 3, 4, 2, 5, 0, -1, DLTF_ENTRIES_ONES}, "seed: -1 is outside"},
        {{SIZE, 3, 4, 2, 5, 0, 1, DLTF_ENTRIES_GAUSSIAN + 1}, "codes: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dltf_synthetic *problem = NULL;
        assert_int_equal(dltf_synthetic_new(&bad[i].spec, NULL, NULL, &problem), DLTF_ARGUMENT);
        assert_null(problem);
        assert_non_null(strstr(dltf_message(), bad[i].reason));
    }
}

typedef struct reports {
    int64_t count, done, total;
    bool cancel;
} reports;

static int note_report(void *context, const dltf_progress *progress) {
    reports *r = context;
    assert_true(progress->done > r->done && progress->done <= progress->total);
    r->count++;
    r->done = progress->done;
    r->total = progress->total;
    return r->cancel;
}

static void progress_and_cancellation(void **state) {
    (void)state;
    dltf_synthetic_options spec = {
        sizeof(dltf_synthetic_options), 500, 4, 2, 20000, 0.1, 1, DLTF_ENTRIES_ONES};
    dltf_synthetic *problem = NULL;
    reports all = {0}, one = {.cancel = true};
    assert_int_equal(dltf_synthetic_new(&spec, note_report, &all, &problem), DLTF_OK);
    assert_true(all.count > 2 && all.done == all.total);
    dltf_synthetic_free(problem);
    problem = NULL;
    assert_int_equal(dltf_synthetic_new(&spec, note_report, &one, &problem), DLTF_CANCELLED);
    assert_int_equal(one.count, 1);
    assert_null(problem);
}

static void out_of_memory(void **state) {
    (void)state;
    dltf_synthetic_options spec = {sizeof(dltf_synthetic_options), 3, 4, 2, 5, 0.1, 1, DLTF_ENTRIES_ONES};
    int64_t n = 1;
    for (;; n++) {
        dltf_synthetic *problem = NULL;
        dl_alloc_fail_after(n);
        dltf_status status = dltf_synthetic_new(&spec, NULL, NULL, &problem);
        dl_alloc_fail_after(0);
        dltf_synthetic_free(problem);
        if (status == DLTF_OK)
            break;
        assert_int_equal(status, DLTF_MEMORY);
        assert_null(problem);
    }
    assert_in_range(n, 10, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_and_codes),     cmocka_unit_test(smallest_and_fullest),
        cmocka_unit_test(noise_is_as_asked),    cmocka_unit_test(atoms_are_used_alike),
        cmocka_unit_test(same_seed_same_bytes), cmocka_unit_test(samples_are_independent),
        cmocka_unit_test(kinds_of_entries),     cmocka_unit_test(refusals),
        cmocka_unit_test(out_of_memory),        cmocka_unit_test(progress_and_cancellation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
