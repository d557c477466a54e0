/* Replacement of unused and duplicate atoms. */
#include "learning/replace.h"
#include "learning/stages/learner_replace.h"

#include "test_learning.h"

/* ---- Which atoms ---- */

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

static int64_t find(const double *G, const double *use, int64_t m, int32_t *atoms) {
    dl_replacement replacement = {.m = m, .G = G, .use = use, .min_share = 0.1, .coherence = 0.9};
    return dl_replace_find(&replacement, &(dl_replace_space){.atoms = atoms});
}

static void assert_found(const double *G, const double *use, int64_t m, const int32_t *wanted,
                         int64_t count) {
    int32_t atoms[16];
    int64_t found = find(G, use, m, atoms);
    assert_int_equal(found, count);
    for (int64_t a = 0; a < found; a++)
        assert_int_equal(atoms[a], wanted[a]);
}

#define ATOMS(...) (int32_t[]){__VA_ARGS__}, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)

static void finds_unused_and_duplicate(void **state) {
    (void)state;
    double *none = gram_of(4, NULL, 0);
    assert_found(none, (double[]){5, 5, 5, 5}, 4, NULL, 0);
    assert_found(none, (double[]){5, 0, 5, 5}, 4, ATOMS(1));
    assert_found(none, (double[]){100, 9.5, 150, 140}, 4, ATOMS(1)); /* a tenth of the mean is 10 */
    assert_found(none, (double[]){100, 11, 150, 140}, 4, NULL, 0);
    assert_found(none, (double[]){0, 0, 0, 0}, 4, ATOMS(0, 1, 2, 3)); /* no atom is used: all are replaced */
    free(none);

    double *pair = gram_of(4, (const double[][3]){{1, 2, 0.95}, {0, 3, 0.89}}, 2);
    assert_found(pair, (double[]){5, 5, 6, 5}, 4, ATOMS(1)); /* the less used one */
    assert_found(pair, (double[]){5, 6, 5, 5}, 4, ATOMS(2));
    assert_found(pair, (double[]){5, 5, 5, 5}, 4, ATOMS(2)); /* at equal use the higher index */
    assert_found(pair, (double[]){9, 0, 9, 9}, 4, ATOMS(1)); /* unused and duplicate: listed once */
    assert_found(pair, (double[]){9, 0, 0.4, 9}, 4, ATOMS(1, 2));
    assert_found(pair, (double[]){9, 0, 0.5, 9}, 4, ATOMS(1)); /* an unused duplicate does not count */
    free(pair);

    double *opposite = gram_of(2, (const double[][3]){{0, 1, -0.99}}, 1);
    assert_found(opposite, (double[]){3, 4}, 2, ATOMS(0));
    free(opposite);

    double *chain = gram_of(3, (const double[][3]){{0, 1, 0.95}, {1, 2, 0.95}, {0, 2, 0.8}}, 3);
    assert_found(chain, (double[]){5, 4, 3}, 3, ATOMS(1, 2));
    assert_found(chain, (double[]){4, 5, 3}, 3, ATOMS(0, 2));
    assert_found(chain, (double[]){5, 3, 5}, 3, ATOMS(1));
    free(chain);

    double *one = gram_of(1, NULL, 0);
    assert_found(one, (double[]){7}, 1, NULL, 0);
    assert_found(one, (double[]){0}, 1, ATOMS(0));
    free(one);
}

/* One of any number of duplicates stays, also in one dimension, where all atoms are duplicates. */
static void one_duplicate_stays(void **state) {
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
        assert_int_equal(find(G, use, m, atoms), m - 1);
        free(G);
    }
}

/* A threshold in codes, and a Gram matrix computed row by row. */
static void other_thresholds(void **state) {
    (void)state;
    const double W[] = {1, 0, 0, 1, 0.8, 0.6, 0.6, 0.8}, use[] = {3, 4, 9, 9};
    double row[4];
    int32_t atoms[4];
    dl_replace_space space = {.atoms = atoms, .row = row};
    dl_replacement replacement = {.m = 4, .n = 2, .W = (double *)W, .use = use, .min_use = 4};
    replacement.coherence = 0.97;
    assert_int_equal(dl_replace_find(&replacement, &space), 1);
    assert_int_equal(atoms[0], 0);
    replacement.coherence = 0.95; /* atoms 2 and 3: .96 */
    assert_int_equal(dl_replace_find(&replacement, &space), 2);
    assert_int_equal(atoms[1], 3);
    double *G = new_gram(W, 4, 2);
    replacement.G = G;
    assert_int_equal(dl_replace_find(&replacement, &space), 2);
    replacement.min_use = 5;
    assert_int_equal(dl_replace_find(&replacement, &space), 3);
    free(G);
}

/* ---- What replaces them ---- */

/* Residuals as rows of floats. Without random directions an atom stays if no residual is left. */
static void by_rows(void **state) {
    (void)state;
    const float R[] = {0, 0, 3, 4, 0, -2};
    double W[] = {1, 0, 0, 1, 0.6, -0.8}, use[] = {0, 0, 0};
    dl_residual_rows rows = {R, 2};
    dl_replace_space space;
    dl_replacement replacement = {.m = 3,
                                  .n = 2,
                                  .W = W,
                                  .use = use,
                                  .coherence = 0.9,
                                  .samples = 3,
                                  .residual = dl_residual_row,
                                  .context = &rows};
    assert_int_equal(dl_replace_space_alloc(&space, 3, 2, 3), DLTF_OK);
    assert_int_equal(dl_replace_atoms(&replacement, &space), 3);
    const double wanted[] = {0.6, 0.8, 0, -1, 0.6, -0.8};
    assert_all_near(W, wanted, 6, 1e-12);
    dl_replace_space_free(&space);
}

/* A learner with one block of samples, coded by hand. */
enum { n = 6, m = 4, k = 1, ROWS = 5 };

typedef struct coded_samples {
    dltf_learner *l;
    dl_block block;
    dl_replace_space space;
} coded_samples;

static coded_samples new_samples(const float *X) {
    dltf_train_options options = dltf_train_options_default();
    coded_samples s;
    dltf_learner *l = NULL;
    options.m = m;
    options.k = k;
    options.threads = 1;
    assert_int_equal(dltf_learner_new(dltf_matrix_f32(X, ROWS, n), NULL, &options, &l), DLTF_OK);
    memset(l->W, 0, m * n * sizeof *l->W);
    for (int64_t j = 0; j < m; j++)
        l->W[j * n + j] = 1;
    dl_learner_refresh(l);
    s.l = l;
    assert_int_equal(dl_block_alloc(&s.block, l), DLTF_OK);
    assert_int_equal(dl_replace_space_alloc(&s.space, m, n, ROWS), DLTF_OK);
    s.block.rows = ROWS;
    memcpy(s.block.X, X, ROWS * n * sizeof *X);
    for (int64_t i = 0; i < ROWS; i++) {
        s.block.Z.count[i] = 1;
        s.block.Z.index[i] = 0;
        s.block.Z.value[i] = X[i * n];
    }
    return s;
}

static int64_t replace(coded_samples *s, const double *use, int64_t index) {
    return dl_learner_replace(s->l, use, &s->block, index, &s->space);
}

static void free_samples(coded_samples *s) {
    dl_replace_space_free(&s->space);
    dl_block_free(&s->block);
    dltf_learner_free(s->l);
}

static void by_largest_residuals(void **state) {
    (void)state;
    const float X[ROWS * n] = {1, 0, 0, 0, 0, 2, 7, 0, 0, 0, 0, 1, 1, 0, 0,
                               0, 4, 3, 9, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, -3};
    coded_samples s = new_samples(X);
    const dltf_learner *l = s.l;
    assert_int_equal(replace(&s, (double[]){5, 0, 5, 0}, 0), 2);
    assert_int_equal(s.space.atoms[0], 1);
    assert_int_equal(s.space.atoms[1], 3);
    const double first[n] = {0, 0, 0, 0, 0.8, 0.6}, second[n] = {0, 0, 0, 0, 0, -1};
    assert_all_near(l->W + n, first, n, 1e-12); /* largest residual: sample 2, then 4 */
    assert_all_near(l->W + 3 * n, second, n, 1e-12);
    assert_near(l->G[1 * m + 3], -0.6, 1e-12); /* refreshed */
    assert_near((double)l->G32[1 * m + 3], -0.6, 1e-6);
    assert_near((double)l->W32.data[4 * DL_PANEL + 1], 0.8, 1e-6);
    assert_int_equal(replace(&s, (double[]){5, 5, 5, 5}, 1), 0);
    free_samples(&s);
}

static void no_residual_left(void **state) {
    (void)state;
    float X[ROWS * n] = {0};
    for (int64_t i = 0; i < ROWS; i++)
        X[i * n] = (float)(i + 1);
    coded_samples s = new_samples(X);
    const dltf_learner *l = s.l;
    assert_int_equal(replace(&s, (double[]){5, 0, 5, 0}, 0), 2);
    assert_unit_rows(l->W, m, n, 1e-12);
    assert_true(fabs(l->G[1 * m + 3]) < 0.999); /* different directions */
    double before = l->W[n];
    assert_int_equal(replace(&s, (double[]){5, 0, 5, 5}, 5), 1);
    assert_unit_rows(l->W, m, n, 1e-12);
    assert_true(l->W[n] != before); /* other directions in another iteration */
    free_samples(&s);
}

TESTS_MAIN(cmocka_unit_test(finds_unused_and_duplicate), cmocka_unit_test(one_duplicate_stays),
           cmocka_unit_test(other_thresholds), cmocka_unit_test(by_rows),
           cmocka_unit_test(by_largest_residuals), cmocka_unit_test(no_residual_left))
