/* The dual encoder against its definition, and the replacement of atoms that do no work. */
#include "coding/dual.h"
#include "learning/learner.h"
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

/* Singular: equal atoms, or atoms that do not span the space. Finite, and 1 along each atom all the same. */
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

/* ---- Atoms that do no work ---- */

/* Gram matrix with ones on the diagonal and the listed pairs (i, j, value). */
static double *gram_of(int64_t m, const double (*pairs)[3], int count) {
    double *G = new_f64(m * m);
    for (int64_t j = 0; j < m; j++)
        G[j * m + j] = 1;
    for (int p = 0; p < count; p++) {
        int64_t i = (int64_t)pairs[p][0], j = (int64_t)pairs[p][1];
        G[i * m + j] = G[j * m + i] = pairs[p][2];
    }
    return G;
}

static void assert_useless(const double *G, const double *use, int64_t m, const int32_t *wanted,
                           int64_t count) {
    int32_t atoms[16];
    int64_t found = dl_find_useless(G, use, m, atoms);
    assert_int_equal(found, count);
    for (int64_t a = 0; a < found; a++)
        assert_int_equal(atoms[a], wanted[a]);
}

#define ATOMS(...) (int32_t[]){__VA_ARGS__}, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)

static void which_are_useless(void **state) {
    (void)state;
    double *none = gram_of(4, NULL, 0);
    assert_useless(none, (double[]){5, 5, 5, 5}, 4, NULL, 0);
    assert_useless(none, (double[]){5, 0, 5, 5}, 4, ATOMS(1));
    assert_useless(none, (double[]){100, 9.5, 150, 140}, 4, ATOMS(1)); /* a tenth of the mean is 10 */
    assert_useless(none, (double[]){100, 11, 150, 140}, 4, NULL, 0);
    assert_useless(none, (double[]){0, 0, 0, 0}, 4, ATOMS(0, 1, 2, 3)); /* nothing is used: start again */
    free(none);

    double *pair = gram_of(4, (const double[][3]){{1, 2, 0.95}, {0, 3, 0.89}}, 2);
    assert_useless(pair, (double[]){5, 5, 6, 5}, 4, ATOMS(1)); /* the less used one */
    assert_useless(pair, (double[]){5, 6, 5, 5}, 4, ATOMS(2));
    assert_useless(pair, (double[]){5, 5, 5, 5}, 4, ATOMS(2)); /* of equals the later */
    assert_useless(pair, (double[]){9, 0, 9, 9}, 4, ATOMS(1)); /* dead: once, not twice */
    assert_useless(pair, (double[]){9, 0, 0.4, 9}, 4, ATOMS(1, 2));
    assert_useless(pair, (double[]){9, 0, 0.5, 9}, 4, ATOMS(1)); /* a dead copy condemns nobody */
    free(pair);

    double *opposite = gram_of(2, (const double[][3]){{0, 1, -0.99}}, 1);
    assert_useless(opposite, (double[]){3, 4}, 2, ATOMS(0));
    free(opposite);

    double *chain = gram_of(3, (const double[][3]){{0, 1, 0.95}, {1, 2, 0.95}, {0, 2, 0.8}}, 3);
    assert_useless(chain, (double[]){5, 4, 3}, 3, ATOMS(1, 2));
    assert_useless(chain, (double[]){4, 5, 3}, 3, ATOMS(0, 2));
    assert_useless(chain, (double[]){5, 3, 5}, 3, ATOMS(1));
    free(chain);

    double *one = gram_of(1, NULL, 0);
    assert_useless(one, (double[]){7}, 1, NULL, 0);
    assert_useless(one, (double[]){0}, 1, ATOMS(0));
    free(one);
}

/* Of any number of copies one stays: also in one dimension, where all atoms are copies. */
static void one_copy_stays(void **state) {
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        int64_t m = between(2, 16);
        double *G = new_f64(m * m), use[16];
        for (int64_t i = 0; i < m * m; i++)
            G[i] = 1;
        for (int64_t j = 0; j < m; j++)
            use[j] = (double)between(0, trial % 2 ? 1 : 50);
        use[below(m)] = 50;
        int32_t atoms[16];
        assert_int_equal(dl_find_useless(G, use, m, atoms), m - 1);
        free(G);
    }
}

/* A learner with one block of samples that are coded by hand. */
enum { n = 6, m = 4, k = 1, ROWS = 5 };

static dltf_learner *new_learner(const float *X) {
    dltf_train_options options = dltf_train_options_default();
    dltf_learner *l = NULL;
    options.m = m;
    options.k = k;
    options.threads = 1;
    assert_int_equal(dltf_learner_new(dltf_matrix_f32(X, ROWS, n), &options, NULL, &l), DLTF_OK);
    memset(l->W, 0, m * n * sizeof *l->W);
    for (int64_t j = 0; j < m; j++)
        l->W[j * n + j] = 1;
    dl_learner_refresh(l);
    for (int64_t i = 0; i < ROWS; i++) {
        l->Z.count[i] = 1;
        l->Z.index[i] = 0;
        l->Z.value[i] = X[i * n];
        for (int64_t d = 0; d < n; d++)
            l->block[i * n + d] = X[i * n + d];
    }
    return l;
}

static void by_largest_residuals(void **state) {
    (void)state;
    const float X[ROWS * n] = {1, 0, 0, 0, 0, 2, 7, 0, 0, 0, 0, 1, 1, 0, 0,
                               0, 4, 3, 9, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, -3};
    dltf_learner *l = new_learner(X);
    assert_int_equal(dl_replace_useless(l, (double[]){5, 0, 5, 0}, ROWS, 0), 2);
    assert_int_equal(l->useless[0], 1);
    assert_int_equal(l->useless[1], 3);
    const double first[n] = {0, 0, 0, 0, 0.8, 0.6}, second[n] = {0, 0, 0, 0, 0, -1};
    assert_all_near(l->W + n, first, n, 1e-12); /* largest residual: sample 2, then 4 */
    assert_all_near(l->W + 3 * n, second, n, 1e-12);
    assert_near(l->w_space.G[1 * m + 3], -0.6, 1e-12); /* refreshed */
    assert_near((double)l->G32[1 * m + 3], -0.6, 1e-6);
    assert_near((double)l->W32.data[4 * DL_PANEL + 1], 0.8, 1e-6);
    assert_int_equal(dl_replace_useless(l, (double[]){5, 5, 5, 5}, ROWS, 1), 0);
    dltf_learner_free(l);
}

static void nothing_left_to_explain(void **state) {
    (void)state;
    float X[ROWS * n] = {0};
    for (int64_t i = 0; i < ROWS; i++)
        X[i * n] = (float)(i + 1);
    dltf_learner *l = new_learner(X);
    assert_int_equal(dl_replace_useless(l, (double[]){5, 0, 5, 0}, ROWS, 0), 2);
    assert_unit_rows(l->W, m, n, 1e-12);
    assert_true(fabs(l->w_space.G[1 * m + 3]) < 0.999); /* different directions */
    double before = l->W[n];
    assert_int_equal(dl_replace_useless(l, (double[]){5, 0, 5, 5}, ROWS, 5), 1);
    assert_unit_rows(l->W, m, n, 1e-12);
    assert_true(l->W[n] != before); /* and other ones in another iteration */
    dltf_learner_free(l);
}

TESTS_MAIN(cmocka_unit_test(by_definition), cmocka_unit_test(without_ridge), cmocka_unit_test(singular),
           cmocka_unit_test(which_are_useless), cmocka_unit_test(one_copy_stays),
           cmocka_unit_test(by_largest_residuals), cmocka_unit_test(nothing_left_to_explain))
