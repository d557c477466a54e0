/* The course of gradient training: when atoms join, what measuring may cost, and how it ends. */
#include "learning/gradient/gradient.h"
#include "learning/gradient/plan.h"
#include "learning/learner_facts.h"
#include "test_small_learner.h"

#include <string.h>

static dltf_learner *planned(dltf_matrix X, int64_t m, int64_t k, double epochs) {
    dltf_train_options options = learned(m, k);
    options.epochs = epochs;
    return new_learner(X, &options);
}

/* Few samples, seen often: never fewer atoms than before, all of them for the last quarter. */
static void atoms_join(void **state) {
    (void)state;
    double *X = new_f64(1000 * 4);
    for (int64_t i = 0; i < 1000 * 4; i++)
        X[i] = sin((double)(i * i));
    const struct {
        int64_t m, first;
        double epochs;
    } cases[] = {{40, 40, 100}, {400, 48, 100}, {400, 400, 39}, {4000, 48, 40}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        dltf_learner *l = planned(dltf_matrix_f64(X, 1000, 4), cases[c].m, 2, cases[c].epochs);
        assert_int_equal(l->N, 900);
        int64_t before = dl_plan_atoms(l, 0);
        assert_int_equal(before, cases[c].first);
        for (double done = 0; done <= 1; done += 1.0 / 64) {
            int64_t atoms = dl_plan_atoms(l, done);
            assert_in_range(atoms, before, l->m);
            assert_true(done < 0.75 || atoms == l->m);
            before = atoms;
        }
        dltf_learner_free(l);
    }
    free(X);
}

/* At most 5% of the samples that are seen, unless that were less than three small measurements. */
static void measuring_is_cheap(void **state) {
    (void)state;
    double *X = new_f64(20000 * 2);
    for (int64_t i = 0; i < 20000 * 2; i++)
        X[i] = cos((double)(i * i));
    const double epochs[] = {0.01, 1, 2, 10, 100};
    for (int e = 0; e < 5; e++) {
        dltf_learner *l = planned(dltf_matrix_f64(X, 20000, 2), 8, 2, epochs[e]);
        int64_t seen = dl_plan_steps(l) * dl_plan_batch(l), count = dl_plan_evaluations(l);
        int64_t samples = dl_plan_evaluation_samples(l);
        assert_in_range(samples, 250, dl_learner_check_count(l));
        assert_in_range(count, 3, 20);
        assert_true(count * samples <= seen / 20 || count * samples <= 750);
        dltf_learner_free(l);
    }
    free(X);
}

/* Atoms that do not take part are in no code, and come back as they were. */
static void activation(void **state) {
    (void)state;
    enum { m = 50, n = 6, k = 4, ROWS = 30 };
    for (int positive = 0; positive < 2; positive++) {
        dl_gradient g;
        assert_int_equal(dl_gradient_alloc(&g, 1, m, n, k, positive, false, ROWS), DLTF_OK);
        float E[m * n];
        fill_normal(g.W.value, m * n);
        fill_normal(g.E.value, m * n);
        fill_normal(g.Y, ROWS * n);
        memcpy(E, g.E.value, sizeof E);
        dl_gradient_pack(&g);
        g.rows = ROWS;
        const int64_t atoms[] = {16, 33, 16, m, 5, m};
        for (int a = 0; a < 6; a++) {
            dl_gradient_activate(&g, atoms[a]);
            dl_gradient_code(&g);
            for (int64_t i = 0; i < ROWS; i++)
                for (int64_t e = i * k; e < i * k + g.Z.count[i]; e++)
                    assert_in_range(g.Z.index[e], 0, atoms[a] - 1);
            for (int64_t i = 0; i < m * n; i++)
                assert_true(g.E.value[i] == (i < atoms[a] * n ? E[i] : 0));
        }
        dl_gradient_free(&g);
    }
}

/* A limit of time ends training early, with a complete model. */
static void limited_time(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(16, 32, 3, 1000, 0.05);
    dltf_matrix samples = dltf_synthetic_samples(problem, false);
    dltf_train_options options = learned(32, 3);
    options.epochs = 1e6;
    options.seconds = 0.2;
    options.tolerance = 0;
    dltf_learner *learner = new_learner(samples, &options);
    assert_int_equal(run(learner), DLTF_TIME_LIMIT);
    int64_t count = 0;
    dl_learner_history(learner, &count);
    dltf_model *model = model_of(learner);
    print_message("%lld rounds, error %.3f\n", (long long)count, error_of(model, samples, false));
    assert_true(count < 1000 && error_of(model, samples, false) < 0.9);
    dltf_model_free(model);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

/* The error of the result, which is the last of the history, is the smallest of the history. */
static void assert_ends_at_best(const dltf_learner *learner) {
    int64_t count = 0;
    const dltf_iteration *r = dl_learner_history(learner, &count);
    double last = r[count - 1].raw_error, smallest = last;
    for (int64_t i = 0; i < count; i++)
        smallest = r[i].raw_error < smallest ? r[i].raw_error : smallest;
    print_message("%lld rounds, error %.4f, smallest %.4f\n", (long long)count, last, smallest);
    assert_true(last <=
                1.02 * smallest + 1e-6); /* not every round that the history measures is a candidate */
}

/* Few samples, learned by heart: whatever the outcome, the model is the best one seen. */
static void few_samples(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(24, 48, 4, 120, 0.3);
    for (int positive = 0; positive < 2; positive++) {
        dltf_train_options options = learned(200, 8);
        options.epochs = 2000;
        options.select = positive ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
        dltf_learner *learner = new_learner(dltf_synthetic_samples(problem, false), &options);
        run(learner);
        assert_ends_at_best(learner);
        dltf_model *model = model_of(learner);
        dltf_model_free(model);
        dltf_learner_free(learner);
        options.tolerance = 0; /* never early */
        options.epochs = 50;
        learner = new_learner(dltf_synthetic_samples(problem, false), &options);
        dltf_outcome outcome = run(learner);
        assert_true(outcome == DLTF_ITERATION_LIMIT || outcome == DLTF_ERROR_GREW);
        int64_t count = 0;
        const dltf_iteration *r = dl_learner_history(learner, &count);
        assert_int_equal(r[count - 1].index, count - 1);
        assert_ends_at_best(learner);
        dltf_learner_free(learner);
    }
    dltf_synthetic_free(problem);
}

/* Two samples repeated: the error settles at 0. */
static void settles(void **state) {
    (void)state;
    enum { COPIES = 200, COLS = 4 };
    float X[COPIES * COLS] = {0};
    for (int64_t i = 0; i < COPIES; i++)
        X[i * COLS + i % 2] = 1;
    dltf_train_options options = learned(2, 1);
    options.epochs = 8000;
    dltf_learner *learner = new_learner(dltf_matrix_f32(X, COPIES, COLS), &options);
    assert_int_equal(run(learner), DLTF_CONVERGED);
    assert_ends_at_best(learner);
    dltf_learner_free(learner);
}

TESTS_MAIN(cmocka_unit_test(atoms_join), cmocka_unit_test(measuring_is_cheap), cmocka_unit_test(activation),
           cmocka_unit_test(limited_time), cmocka_unit_test(few_samples), cmocka_unit_test(settles))
