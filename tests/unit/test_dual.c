/* The dual encoder against its definition. */
#include "coding/dual.h"
#include "reference/learning.h"

#include "test_learning.h"

static void encode(const double *W, int64_t m, int64_t n, double r, double *E) {
    double *factor = new_f64(m * m);
    dl_dual_encoder(2, W, m, n, r, factor, E);
    free(factor);
    for (int64_t j = 0; j < m; j++)
        assert_near(dot_f64(E + j * n, W + j * n, n), 1, 1e-9);
}

static void by_definition(void **state) {
    (void)state;
    const int64_t shapes[][2] = {{12, 5}, {5, 12}, {7, 7}, {1, 1}, {1, 6}, {6, 1}, {90, 8}, {8, 90}};
    const double ridges[] = {1e-3, 0.1, 10};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t i = 0; i < 3; i++) {
            int64_t m = shapes[s][0], n = shapes[s][1];
            double *W = new_dictionary(m, n), *E = new_f64(m * n), *wanted = new_f64(m * n);
            encode(W, m, n, ridges[i], E);
            assert_true(ref_dual_encoder(W, m, n, ridges[i], false, wanted));
            assert_all_near(E, wanted, m * n, 1e-9);
            free(W);
            free(E);
            free(wanted);
        }
}

/* r = 0 where the definition has an inverse: W W^T for more atoms than dimensions, otherwise the Gram matrix.
 */
static void without_ridge(void **state) {
    (void)state;
    const int64_t shapes[][2] = {{20, 6}, {6, 20}, {1, 6}, {6, 1}, {70, 10}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1];
        double *W = new_dictionary(m, n), *E = new_f64(m * n), *wanted = new_f64(m * n);
        encode(W, m, n, 0, E);
        assert_true(ref_dual_encoder(W, m, n, 0, m <= n, wanted));
        assert_all_near(E, wanted, m * n, 1e-7);
        for (int64_t i = 0; i < m && m <= n; i++) /* biorthogonal to the atoms */
            for (int64_t j = 0; j < m; j++)
                assert_near(dot_f64(E + i * n, W + j * n, n), i == j, 1e-7);
        free(W);
        free(E);
        free(wanted);
    }
}

/* Singular: equal atoms, or atoms that do not span the space. Still finite, and 1 along each atom. */
static void singular(void **state) {
    (void)state;
    const int64_t shapes[][2] = {{6, 9}, {9, 6}, {4, 4}, {2, 1}, {3, 2}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int all = 0; all < 2; all++) {
            int64_t m = shapes[s][0], n = shapes[s][1];
            double *W = new_dictionary(m, n), *E = new_f64(m * n);
            for (int64_t j = 1; j < m && (all || j < 2); j++)
                for (int64_t i = 0; i < n; i++)
                    W[j * n + i] = (j % 2 ? -1 : 1) * W[i];
            encode(W, m, n, 0, E);
            for (int64_t i = 0; i < m * n; i++)
                assert_true(isfinite(E[i]));
            free(W);
            free(E);
        }
}

/* Of more than 4n atoms the first 4n stand for all: here they do. */
static void single_precision(void **state) {
    (void)state;
    const int64_t shapes[][2] = {{2, 1}, {12, 5}, {20, 5}, {40, 5}, {36, 9}, {180, 9}, {1024, 64}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1];
        double *W = new_dictionary(m, n), *wanted = new_f64(m * n);
        float *W32 = calloc((size_t)(m * n), sizeof *W32), *E = calloc((size_t)(m * n), sizeof *E);
        for (int64_t i = 4 * n * n; i < m * n; i++)
            W[i] = W[i - 4 * n * n];
        for (int64_t i = 0; i < m * n; i++)
            W32[i] = (float)W[i];
        for (int threads = 1; threads <= 2; threads++) {
            double ridge = 0.1 * (double)m / (double)n, *inverse = new_f64(n * n), *B = new_f64(n * n);
            int64_t half = m / 2; /* rows may be computed in parts */
            assert_int_equal(dl_dual_product(threads, W, m, n, 0, n, B), DLTF_OK);
            assert_int_equal(dl_dual_invert(threads, B, m, n, ridge, inverse), DLTF_OK);
            assert_int_equal(dl_dual_encoder32(threads, inverse, W32, half, n, E), DLTF_OK);
            assert_int_equal(dl_dual_encoder32(threads, inverse, W32 + half * n, m - half, n, E + half * n),
                             DLTF_OK);
            free(inverse);
            free(B);
            assert_true(ref_dual_encoder(W, m, n, 0.1 * (double)m / (double)n, false, wanted));
            for (int64_t i = 0; i < m * n; i++)
                assert_near((double)E[i], wanted[i], 1e-4);
        }
        free(W);
        free(wanted);
        free(W32);
        free(E);
    }
}

TESTS_MAIN(cmocka_unit_test(by_definition), cmocka_unit_test(without_ridge), cmocka_unit_test(singular),
           cmocka_unit_test(single_precision))
