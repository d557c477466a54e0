/* Nested dictionaries: prefixes, codes and gradients of the gradient learner, the models of prefixes. */
#include "learning/gradient/gradient.h"
#include "program/program.h"
#include "test_small_learner.h"

enum { m = 96, n = 10, k = 4, ROWS = 37, MOST_THREADS = 7 };

static const dl_gradient_rule plain = {.rate = 0.01f, .growth = 1, .from_center = true};

static void make(dl_gradient *g, bool positive, int threads) {
    assert_int_equal(dl_gradient_alloc(g, threads, m, n, k, positive, true, ROWS), DLTF_OK);
    test_draws = 0; /* the same numbers for each number of threads */
    double *W = new_dictionary(m, n);
    for (int64_t i = 0; i < m * n; i++)
        g->W.value[i] = (float)W[i];
    free(W);
    fill_normal(g->E.value, m * n);
    fill_normal(g->b.value, m);
    fill_normal(g->Y, ROWS * n);
    dl_gradient_pack(g);
    g->rows = ROWS;
    dl_gradient_code(g);
}

/* ---- Prefixes ---- */

static void assert_prefixes(int64_t atoms, int64_t entries, int count, const int64_t *expected) {
    int64_t prefix[DL_PREFIXES];
    assert_int_equal(dl_nested_prefixes(atoms, entries, prefix), count);
    for (int q = 0; q < count; q++)
        assert_int_equal(prefix[q], expected[q]);
}

static void sizes(void **state) {
    (void)state;
    assert_prefixes(1024, 16, 5, (const int64_t[]){1024, 512, 256, 128, 64});
    assert_prefixes(1000, 16, 5, (const int64_t[]){1000, 512, 256, 128, 64});
    assert_prefixes(1024, 64, 4, (const int64_t[]){1024, 512, 256, 128}); /* more than k atoms */
    assert_prefixes(m, k, 4, (const int64_t[]){96, 48, 32, 16});
    assert_prefixes(17, 3, 2, (const int64_t[]){17, 16});
    assert_prefixes(16, 3, 1, (const int64_t[]){16});
    assert_int_equal(dl_nested_admit(17, 3), DLTF_OK);
    assert_int_equal(dl_nested_admit(16, 3), DLTF_ARGUMENT);
    double sum = 0;
    for (int q = 0; q < DL_PREFIXES; q++)
        sum += dl_nested_weight(DL_PREFIXES, q);
    assert_near(sum, 1, 1e-12);
}

/* ---- Codes ---- */

/* Scores of atom j for sample i, in double. */
static double product(const dl_gradient *g, int64_t i, int64_t j) {
    double sum = -(double)g->b.value[j];
    for (int64_t d = 0; d < n; d++)
        sum += (double)g->E.value[j * n + d] * (double)g->Y[i * n + d];
    return sum;
}

/* The number of atoms of a prefix whose scores are larger than this one. */
static int64_t better(const dl_gradient *g, int64_t i, int64_t atoms, double than) {
    int64_t count = 0;
    for (int64_t j = 0; j < atoms; j++) {
        double s = product(g, i, j);
        count += (g->positive ? s : fabs(s)) > (g->positive ? than : fabs(than)) + 1e-5;
    }
    return count;
}

/* Each prefix has its own k best and its own residual. */
static void codes_of_prefixes(void **state) {
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        dl_gradient g;
        make(&g, positive, 2);
        for (int64_t c = 0; c < dl_gradient_codes(&g); c++) {
            int64_t i = c % ROWS, atoms = g.prefix[c / ROWS];
            double r[n];
            for (int64_t d = 0; d < n; d++)
                r[d] = (double)g.Y[i * n + d];
            assert_int_equal(g.Z.count[c], k);
            for (int64_t e = c * k; e < (c + 1) * k; e++) {
                int64_t j = g.Z.index[e];
                assert_true(j < atoms && (e == c * k || j > g.Z.index[e - 1]));
                assert_near((double)g.Z.value[e], product(&g, i, j), 1e-4);
                assert_true(better(&g, i, atoms, product(&g, i, j)) < k);
                for (int64_t d = 0; d < n; d++)
                    r[d] -= (double)g.Z.value[e] * (double)g.W.value[j * n + d];
            }
            for (int64_t d = 0; d < n; d++)
                assert_near((double)g.R[c * n + d], r[d], 1e-4);
        }
        dl_gradient_free(&g);
    }
}

static void same_bytes_for_any_threads(void **state) {
    (void)state;
    for (int positive = 0; positive < 2; positive++)
        for (int threads = 2; threads <= MOST_THREADS; threads++) {
            dl_gradient one, g;
            make(&one, positive, 1);
            make(&g, positive, threads);
            for (int active = 32; active <= m; active += 64) { /* some atoms do not take part yet */
                dl_gradient_activate(&one, active);
                dl_gradient_activate(&g, active);
                dl_gradient_error a = dl_gradient_code(&one), b = dl_gradient_code(&g);
                assert_true(a.left == b.left && a.energy == b.energy);
                dl_gradient_step(&one, &plain);
                dl_gradient_step(&g, &plain);
                assert_memory_equal(one.W.value, g.W.value, m * n * sizeof(float));
                assert_memory_equal(one.E.value, g.E.value, m * n * sizeof(float));
                assert_memory_equal(one.b.value, g.b.value, m * sizeof(float));
            }
            dl_gradient_free(&one);
            dl_gradient_free(&g);
        }
}

/* ---- Gradients ---- */

/* sum_q weight_q 1/2 mean ||y - Wz||^2 on the supports that were chosen, from parameters in double. */
static double loss(const dl_gradient *g, const double *W, const double *E, const double *b) {
    double sum = 0;
    for (int64_t c = 0; c < dl_gradient_codes(g); c++) {
        const float *y = g->Y + c % ROWS * n;
        double r[n];
        for (int64_t d = 0; d < n; d++)
            r[d] = (double)y[d];
        for (int64_t e = c * k; e < c * k + g->Z.count[c]; e++) {
            int64_t j = g->Z.index[e];
            double z = -b[j];
            for (int64_t d = 0; d < n; d++)
                z += E[j * n + d] * (double)y[d];
            for (int64_t d = 0; d < n; d++)
                r[d] -= z * W[j * n + d];
        }
        sum += dl_nested_weight(g->depth, (int)(c / ROWS)) * dot_f64(r, r, n) / 2 / ROWS;
    }
    return sum;
}

static double difference(const dl_gradient *g, double *W, double *E, double *b, double *at) {
    double keep = *at, step = 1e-6;
    *at = keep + step;
    double above = loss(g, W, E, b);
    *at = keep - step;
    double below = loss(g, W, E, b);
    *at = keep;
    return (above - below) / (2 * step);
}

/* After the first step a moment is a tenth of the gradient; that of W is tangent to the sphere. */
static void gradients(void **state) {
    (void)state;
    dl_gradient g;
    make(&g, false, 1);
    double *W = new_wide(g.W.value, m * n), *E = new_wide(g.E.value, m * n), *b = new_wide(g.b.value, m);
    double *w_slope = new_f64(m * n), *e_slope = new_f64(m * n), *b_slope = new_f64(m);
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = j * n; i < (j + 1) * n; i++) {
            w_slope[i] = difference(&g, W, E, b, &W[i]);
            e_slope[i] = difference(&g, W, E, b, &E[i]);
        }
        b_slope[j] = difference(&g, W, E, b, &b[j]);
        double along = dot_f64(w_slope + j * n, W + j * n, n) / dot_f64(W + j * n, W + j * n, n);
        for (int64_t d = 0; d < n; d++)
            w_slope[j * n + d] -= along * W[j * n + d];
    }
    dl_gradient_step(&g, &plain);
    for (int64_t i = 0; i < m * n; i++) {
        assert_near(10 * (double)g.W.moment[i], w_slope[i], 2e-4);
        assert_near(10 * (double)g.E.moment[i], e_slope[i], 2e-4);
    }
    for (int64_t j = 0; j < m; j++)
        assert_near(10 * (double)g.b.moment[j], b_slope[j], 2e-4);
    free(W);
    free(E);
    free(b);
    free(w_slope);
    free(e_slope);
    free(b_slope);
    dl_gradient_free(&g);
}

/* An atom is revived by the patience of the shortest prefix that has it. */
static void patience(void **state) {
    (void)state;
    dl_gradient g;
    make(&g, false, 1);
    dl_gradient_rule rule = plain;
    rule.growth = 2;
    rule.patience = 3 * ROWS; /* of all 96 atoms: half a batch for the first 16, one for 32, 1.5 for 48 */
    memset(g.E.value, 0, (size_t)(m * n) * sizeof *g.E.value);
    memset(g.b.value, 0, m * sizeof *g.b.value);
    int64_t idle[] = {0, 20, 40, 60}; /* one atom of each prefix that no code uses */
    for (int i = 0; i < 4; i++)
        g.E.value[idle[i] * n] = 1;
    memset(g.Y, 0, (size_t)(ROWS * n) * sizeof *g.Y);
    dl_gradient_pack(&g);
    dl_gradient_code(&g);
    const float after[4][4] = {{2, 1, 1, 1}, {4, 2, 2, 1}, {8, 4, 4, 1}, {16, 8, 8, 2}};
    for (int step = 0; step < 4; step++) {
        dl_gradient_step(&g, &rule);
        for (int i = 0; i < 4; i++)
            assert_true(g.E.value[idle[i] * n] == after[step][i]);
    }
    dl_gradient_free(&g);
}

/* ---- Whole trainings ---- */

static double prefix_error(const dltf_model *model, int64_t atoms, dltf_matrix X) {
    dltf_model *first = NULL;
    assert_int_equal(dltf_model_first_atoms(model, atoms, &first), DLTF_OK);
    double error = error_of(first, X, false);
    dltf_model_free(first);
    return error;
}

/* Prefixes of a nested dictionary have smaller errors than those of a plain one, at about the same error
 * of the whole, for any number of threads. */
static void prefixes_are_dictionaries(void **state) {
    (void)state;
    const int64_t atoms = 128;
    dltf_synthetic *problem = new_synthetic(24, 64, 4, sized(3000, 1000), 0.05);
    dltf_matrix X = dltf_synthetic_samples(problem, false), test = dltf_synthetic_samples(problem, true);
    dltf_train_options options = learned(atoms, 4);
    options.epochs = 10;
    options.threads = 1;
    dltf_model *flat = train(X, &options);
    options.nested = true;
    dltf_model *nested = train(X, &options);
    options.threads = 3;
    dltf_model *same = train(X, &options);
    assert_same_dictionary(nested, same);
    int64_t sizes[DL_PREFIXES] = {0};
    assert_int_equal(dltf_model_prefixes(flat, sizes, DL_PREFIXES), 0);
    assert_int_equal(dltf_model_prefixes(nested, sizes, DL_PREFIXES), 4);
    for (int q = 0; q < 4; q++) {
        assert_int_equal(sizes[q], 16 << q);
        double of_nested = prefix_error(nested, sizes[q], test), of_flat = prefix_error(flat, sizes[q], test);
        print_message("first %lld atoms: nested %.3f, flat %.3f\n", (long long)sizes[q], of_nested, of_flat);
        assert_true(sizes[q] == atoms ? of_nested < 1.3 * of_flat : of_nested < of_flat);
    }
    dltf_model_free(flat);
    dltf_model_free(nested);
    dltf_model_free(same);
    dltf_synthetic_free(problem);
}

TESTS_MAIN(cmocka_unit_test(sizes), cmocka_unit_test(codes_of_prefixes),
           cmocka_unit_test(same_bytes_for_any_threads), cmocka_unit_test(gradients),
           cmocka_unit_test(patience), cmocka_unit_test(prefixes_are_dictionaries))
