/* Least squares on the support: against the oracle, against the normal equations, and, where atoms depend on
 * each other, against every subset of the support. */
#include "base/memory.h"
#include "coding/feature.h"
#include "reference/reference.h"

#include "test_util.h"

enum { MOST_n = 30, MOST_m = 40, MOST_k = 8 };

static float W[MOST_m * MOST_n], x[MOST_n];
static double W64[MOST_m * MOST_n], x64[MOST_n];

static void normalise(float *w, int64_t n) {
    double square = 0;
    for (int64_t i = 0; i < n; i++)
        square += (double)w[i] * (double)w[i];
    for (int64_t i = 0; i < n; i++)
        w[i] = (float)((double)w[i] / sqrt(square));
}

static void fill(int64_t m, int64_t n) {
    fill_normal(W, m * n);
    fill_normal(x, n);
    for (int64_t j = 0; j < m; j++)
        normalise(W + j * n, n);
}

/* A random support, ascending. */
static void choose_support(int64_t m, int64_t count, int32_t *support) {
    int64_t order[MOST_m], kept = 0;
    dl_random_permutation(test_source(), test_draws, m, order);
    test_draws += (uint64_t)m;
    for (int64_t j = 0; j < m; j++)
        for (int64_t e = 0; e < count; e++)
            if (order[e] == j)
                support[kept++] = (int32_t)j;
}

/* Refits one sample whose slots have room for k entries. */
static void refit(int64_t n, int64_t k, int32_t *support, int64_t count, float *z) {
    int32_t counts[1] = {(int32_t)count};
    double *scratch = DL_NEW(double, dl_refit_scratch(MOST_k, n));
    assert_non_null(scratch);
    dl_slots slots = {1, k, counts, support, z};
    widen(W, MOST_m * n, W64);
    widen(x, n, x64);
    for (int64_t e = 0; e < count; e++)
        z[e] = 1; /* as after a selection: any finite value */
    dl_refit_tile(W, n, x, n, 1, slots, scratch);
    dl_free(scratch);
    for (int64_t e = 0; e < count; e++)
        assert_true(isfinite(z[e]));
}

/* ||x - W_S z||^2; leaves the residual in r. */
static double residual(int64_t n, const int32_t *support, int64_t count, const double *z, double *r) {
    double square = 0;
    for (int64_t i = 0; i < n; i++) {
        r[i] = x64[i];
        for (int64_t e = 0; e < count; e++)
            r[i] -= z[e] * W64[support[e] * n + i];
        square += r[i] * r[i];
    }
    return square;
}

static void independent_atoms(void **state) {
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        int64_t n = 10 + below(MOST_n - 9), m = MOST_m, count = 1 + below(MOST_k);
        int32_t support[MOST_k];
        float z[MOST_k];
        double z64[MOST_k], expected[MOST_k], r[MOST_n], size = 1;
        fill(m, n);
        choose_support(m, count, support);
        refit(n, MOST_k, support, count, z);
        assert_true(ref_least_squares(W64, n, support, count, x64, expected));
        widen(z, count, z64);
        for (int64_t e = 0; e < count; e++)
            size += fabs(expected[e]);
        for (int64_t e = 0; e < count; e++)
            assert_near(z64[e], expected[e], 1e-6 * size);
        residual(n, support, count, z64, r);
        for (int64_t e = 0; e < count; e++) {
            double along = 0;
            for (int64_t i = 0; i < n; i++)
                along += r[i] * W64[support[e] * n + i];
            assert_near(along, 0, 1e-6 * size);
        }
    }
}

/* No subset of the support does better, except with coefficients too large to be meaningful. */
static void assert_no_subset_better(int64_t n, const int32_t *support, int64_t count, const float *z) {
    double z64[MOST_k], r[MOST_n], square = 0;
    widen(z, count, z64);
    double got = sqrt(residual(n, support, count, z64, r));
    for (int64_t i = 0; i < n; i++)
        square += x64[i] * x64[i];
    for (int subset = 0; subset < 1 << count; subset++) {
        int32_t part[MOST_k];
        int64_t kept = 0;
        double largest = 0;
        for (int64_t e = 0; e < count; e++)
            if (subset >> e & 1)
                part[kept++] = support[e];
        if (kept > 0 && !ref_least_squares(W64, n, part, kept, x64, z64))
            continue;
        for (int64_t e = 0; e < kept; e++)
            largest = fmax(largest, fabs(z64[e]));
        if (largest <= 10 * sqrt(square) &&
            !(got <= sqrt(residual(n, part, kept, z64, r)) + 1e-3 * sqrt(square)))
            fail_msg("residual %g, that of subset %x is %g", got, (unsigned)subset,
                     sqrt(residual(n, part, kept, z64, r)));
    }
}

static void duplicates(void **state) {
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        int64_t n = 2 + below(20), count = 2 + below(4);
        int32_t support[MOST_k] = {0, 1, 2, 3, 4, 5};
        float z[MOST_k];
        fill(MOST_m, n);
        for (int64_t e = 1; e < count; e++) { /* a copy of an earlier atom, or its opposite */
            float sign = below(2) ? 1 : -1;
            int64_t from = below(e);
            for (int64_t i = 0; i < n && below(n) > 0; i++)
                W[e * n + i] = sign * W[from * n + i];
            normalise(W + e * n, n);
        }
        refit(n, count, support, count, z);
        assert_no_subset_better(n, support, count, z);
    }
    fill(2, 3); /* one of two equal atoms explains all, the other nothing */
    memcpy(W + 3, W, 3 * sizeof *W);
    float z[2];
    refit(3, 2, (int32_t[]){0, 1}, 2, z);
    assert_near((double)z[0], x64[0] * W64[0] + x64[1] * W64[1] + x64[2] * W64[2], 1e-6);
    assert_true(z[1] == 0);
}

static void more_atoms_than_dimensions(void **state) {
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        int64_t n = 1 + below(4), count = n + 1 + below(MOST_k - n);
        int32_t support[MOST_k];
        float z[MOST_k];
        double z64[MOST_k], r[MOST_n];
        fill(MOST_m, n);
        choose_support(MOST_m, count, support);
        refit(n, MOST_k, support, count, z);
        widen(z, count, z64);
        assert_near(residual(n, support, count, z64, r), 0, 1e-6); /* they span the space */
        assert_no_subset_better(n, support, count, z);
    }
}

/* Atoms that differ from one another, or from the span of others, by any small amount. */
static void nearly_dependent(void **state) {
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        int64_t n = 2 + below(6), count = 2 + below(5);
        int32_t support[MOST_k] = {0, 1, 2, 3, 4, 5, 6, 7};
        float z[MOST_k];
        double distance = pow(10, -7 * dl_random_uniform(test_source(), test_draws++));
        fill(MOST_m, n);
        for (int64_t e = 1; e < count; e++) {
            for (int64_t i = 0; i < n; i++)
                W[e * n + i] = W[i] + (float)(distance * normal());
            normalise(W + e * n, n);
        }
        refit(n, count, support, count, z);
        assert_no_subset_better(n, support, count, z);
    }
}

/* Through dltf_encode: the support of the correlations, the values of least squares, the mean subtracted. */
static void encoded(void **state) {
    (void)state;
    enum { N = 200, n = 16, m = 24, k = 4 };
    static float X[N * n], mean[n];
    fill(m, n);
    fill_normal(X, N * n);
    fill_normal(mean, n);
    dltf_model_view parts = {
        .m = m, .n = n, .k = k, .dictionary = W, .mean = mean, .select = DLTF_SELECT_ABS};
    dltf_model *model = NULL;
    dltf_codes *plain = NULL, *codes = NULL;
    dltf_matrix data = dltf_matrix_f32(X, N, n);
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_encode(model, data,
                                 &(dltf_encode_options){.size = sizeof(dltf_encode_options), .threads = 1},
                                 NULL, NULL, &plain),
                     DLTF_OK);
    dltf_encode_options refitted = {.size = sizeof(dltf_encode_options), .refit = true, .threads = 2};
    assert_int_equal(dltf_encode(model, data, &refitted, NULL, NULL, &codes), DLTF_OK);
    dltf_csr a = dltf_codes_csr(plain), c = dltf_codes_csr(codes);
    assert_memory_equal(a.indptr, c.indptr, (N + 1) * sizeof *a.indptr);
    assert_memory_equal(a.indices, c.indices, (size_t)a.indptr[N] * sizeof *a.indices);
    widen(dltf_model_get(model).dictionary, m * n, W64);
    for (int64_t i = 0; i < N; i++) {
        double z[k];
        for (int64_t j = 0; j < n; j++)
            x64[j] = (double)X[i * n + j] - (double)mean[j];
        assert_true(ref_least_squares(W64, n, c.indices + c.indptr[i], k, x64, z));
        for (int64_t e = 0; e < k; e++)
            assert_near((double)c.values[c.indptr[i] + e], z[e], 1e-4 * (1 + fabs(z[e])));
    }
    double before = 0, after = 0;
    assert_int_equal(dltf_reconstruction_error(model, data, plain, &before), DLTF_OK);
    assert_int_equal(dltf_reconstruction_error(model, data, codes, &after), DLTF_OK);
    assert_true(after < before && after < 1);
    dltf_codes_free(plain);
    dltf_codes_free(codes);
    dltf_model_free(model);
}

/* Codes hold no zeros: the second of two equal atoms, which adds nothing, is not an entry. */
static void zeros_are_dropped(void **state) {
    (void)state;
    const float atoms[] = {1, 0, 1, 0, 0, 1}, X[] = {2, 1, 0, 3};
    dltf_model_view parts = {.m = 3, .n = 2, .k = 2, .dictionary = atoms, .select = DLTF_SELECT_ABS};
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    dltf_encode_options refitted = {.size = sizeof(dltf_encode_options), .refit = true};
    assert_int_equal(dltf_encode(model, dltf_matrix_f32(X, 2, 2), &refitted, NULL, NULL, &codes), DLTF_OK);
    dltf_csr csr = dltf_codes_csr(codes);
    assert_true(csr.indptr[1] == 1 && csr.indptr[2] == 2);
    assert_true(csr.indices[0] == 0 && csr.values[0] == 2 && csr.indices[1] == 2 && csr.values[1] == 3);
    dltf_codes_free(codes);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(independent_atoms), cmocka_unit_test(duplicates),
           cmocka_unit_test(more_atoms_than_dimensions), cmocka_unit_test(nearly_dependent),
           cmocka_unit_test(encoded), cmocka_unit_test(zeros_are_dropped))
