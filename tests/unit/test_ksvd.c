/* K-SVD: an iteration against its definition, planted dictionaries, errors that never increase, replaced
 * atoms, threads, checkpoints and rejected arguments. */
#include "learning/learner_facts.h"
#include "reference/learning.h"
#include "reference/reference.h"

#include "test_small_learner.h"

#include <unistd.h>

static dltf_train_options ksvd_options(int64_t m, int64_t k, int64_t iterations) {
    dltf_train_options options = dltf_train_options_default();
    options.method = DLTF_METHOD_KSVD;
    options.m = m;
    options.k = k;
    options.iterations = iterations;
    options.tolerance = 0;
    options.threads = 2;
    return options;
}

/* N samples with k Gaussian coefficients on random atoms of W0, and noise. */
static float *planted(const double *W0, int64_t m, int64_t n, int64_t k, int64_t N, double noise) {
    float *X = new_f32(N * n);
    double *x = new_f64(n);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t d = 0; d < n; d++)
            x[d] = noise * normal();
        for (int64_t e = 0; e < k; e++) {
            double z = normal();
            const double *w = W0 + below(m) * n;
            for (int64_t d = 0; d < n; d++)
                x[d] += z * w[d];
        }
        for (int64_t d = 0; d < n; d++)
            X[i * n + d] = (float)x[d];
    }
    free(x);
    return X;
}

/* ---- An iteration ---- */

/* The learner scales samples, which does not change the dictionary. */
static void by_definition(void **state) {
    (void)state;
    const int64_t shapes[][4] = {{15, 10, 3, 200}, {6, 12, 2, 90}, {1, 5, 1, 30}, {20, 8, 4, 300}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int exact = 0; exact < 2; exact++) {
            int64_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2], N = shapes[s][3];
            double *W0 = new_dictionary(m, n);
            float *X = planted(W0, m, n, k, N, 0.3);
            dltf_matrix data = dltf_matrix_f32(X, N, n);
            dltf_train_options options = ksvd_options(m, k, 1);
            options.update = exact ? DLTF_UPDATE_EXACT : DLTF_UPDATE_APPROXIMATE;
            dltf_learner *learner = new_learner(data, &options);
            double *wide = new_wide(X, N * n), *W = new_f64(m * n);
            memcpy(W, learner->W, (size_t)(m * n) * sizeof *W);
            double left = ref_ksvd_iteration(wide, N, n, m, k, exact, W);
            run(learner);
            for (int64_t j = 0; j < m; j++) {
                double cosine = fabs(dot_f64(W + j * n, learner->W + j * n, n));
                if (!(cosine > 1 - 1e-4))
                    fail_msg("atom %lld of %lld: |cos| %.6f to the reference", (long long)j, (long long)m,
                             cosine);
            }
            assert_near(learner->history.records[0].relative_error, left / dot_f64(wide, wide, N * n), 1e-4);
            dltf_learner_free(learner);
            free(W0);
            free(X);
            free(wide);
            free(W);
        }
}

/* The atom updates of an iteration never raise the error of the codes that they start from. */
static void updates_never_raise_the_error(void **state) {
    (void)state;
    int64_t n = 16, m = 40, k = 4, N = sized(1500, 300);
    double *W0 = new_dictionary(m, n);
    float *X = planted(W0, m, n, k, N, 0.1);
    dltf_matrix data = dltf_matrix_f32(X, N, n);
    for (int exact = 0; exact < 2; exact++) {
        dltf_train_options options = ksvd_options(m, k, 1);
        options.update = exact ? DLTF_UPDATE_EXACT : DLTF_UPDATE_APPROXIMATE;
        dltf_model *model = NULL;
        for (int iteration = 0; iteration < 6; iteration++) {
            dltf_learner *learner = NULL;
            assert_int_equal(dltf_learner_new(data, model, &options, &learner), DLTF_OK);
            dltf_model *before = model_of(learner);
            dltf_encode_options encoding = {.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP};
            dltf_codes *codes = NULL;
            double error = 0;
            assert_int_equal(dltf_encode(before, data, &encoding, NULL, NULL, &codes), DLTF_OK);
            assert_int_equal(dltf_reconstruction_error(before, data, codes, &error), DLTF_OK);
            run(learner);
            assert_true(learner->history.records[0].relative_error < error * (1 + 1e-6));
            dltf_codes_free(codes);
            dltf_model_free(before);
            dltf_model_free(model);
            model = model_of(learner);
            dltf_learner_free(learner);
        }
        dltf_model_free(model);
    }
    free(W0);
    free(X);
}

/* ---- Learning ---- */

/* The experiment of the K-SVD paper: at 20 dB, 80 iterations find most of 50 atoms. */
static void finds_planted_atoms(void **state) {
    (void)state;
    enum { n = 20, m = 50, k = 3 };
    int64_t N = 1500, seeds = sized(3, 1);
    for (int exact = 0; exact < 2; exact++)
        for (int64_t seed = 0; seed < seeds; seed++) {
            double *W0 = new_dictionary(m, n), found = 0;
            float *X = planted(W0, m, n, k, N, sqrt((double)k / n / 100)), cosine[m];
            int32_t match[m];
            dltf_train_options options = ksvd_options(m, k, 80);
            options.seed = seed;
            options.update = exact ? DLTF_UPDATE_EXACT : DLTF_UPDATE_APPROXIMATE;
            dltf_model *model = train(dltf_matrix_f32(X, N, n), &options);
            assert_int_equal(dltf_match(dictionary_of(model), dltf_matrix_f64(W0, m, n), match, cosine),
                             DLTF_OK);
            for (int j = 0; j < m; j++)
                found += 1 - cosine[j] < 0.01f ? 1.0 / m : 0;
            print_message("%s update, seed %lld: %.0f%% of the atoms found\n",
                          exact ? "exact" : "approximate", (long long)seed, 100 * found);
            assert_true(found >= 0.85);
            dltf_model_free(model);
            free(W0);
            free(X);
        }
}

/* Duplicate and unused atoms are replaced. */
static void replaces_atoms(void **state) {
    (void)state;
    int64_t n = 12, m = 20, k = 2, N = 800;
    double *W0 = new_dictionary(m, n);
    float *X = planted(W0, m, n, k, N, 0.01), *bad = new_narrow(W0, m * n);
    for (int64_t i = n; i < 10 * n; i++)
        bad[i] = bad[i % n];
    dltf_model_view parts = {.m = m, .n = n, .k = k, .dictionary = bad};
    dltf_model *start = NULL, *model = NULL;
    dltf_learner *learner = NULL;
    assert_int_equal(dltf_model_new(&parts, &start), DLTF_OK);
    dltf_train_options options = ksvd_options(m, k, 30);
    assert_int_equal(dltf_learner_new(dltf_matrix_f32(X, N, n), start, &options, &learner), DLTF_OK);
    run(learner);
    int64_t count = 0;
    const dltf_iteration *history = dl_learner_history(learner, &count);
    assert_true(history[0].atoms_replaced >= 9);
    assert_int_equal(history[count - 1].atoms_replaced, 0);
    assert_true(history[count - 1].relative_error < 0.3 * history[0].relative_error);
    double coherence = 0;
    model = model_of(learner);
    assert_int_equal(dltf_coherence(dictionary_of(model), &coherence), DLTF_OK);
    assert_true(coherence < 0.95);
    dltf_learner_free(learner);
    dltf_model_free(start);
    dltf_model_free(model);
    free(W0);
    free(X);
    free(bad);
}

/* With an error target, codes have as few entries as it allows, and at most k. */
static void error_target(void **state) {
    (void)state;
    int64_t n = 16, m = 24, N = 600;
    double *W0 = new_dictionary(m, n);
    float *X = planted(W0, m, n, 3, N, 0.05);
    for (int64_t i = 0; i < N * n; i++)
        X[i] *= 100; /* the target is in the units of the data */
    dltf_train_options options = ksvd_options(m, 8, 20);
    options.error = 100 * 100 * 4 * 16 * 0.05 * 0.05;
    dltf_model *model = train(dltf_matrix_f32(X, N, n), &options);
    dltf_encode_options encoding = {
        .size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP, .error = options.error};
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_encode(model, dltf_matrix_f32(X, N, n), &encoding, NULL, NULL, &codes), DLTF_OK);
    double entries = (double)dltf_codes_csr(codes).indptr[N] / (double)N;
    assert_true(entries > 1.5 && entries < 5); /* k would be 8 */
    dltf_codes_free(codes);
    dltf_model_free(model);
    free(W0);
    free(X);
}

/* ---- The handle ---- */

/* Includes atoms with more samples than one task takes. */
static void same_bytes_on_any_threads(void **state) {
    (void)state;
    const int64_t sizes[][4] = {{16, 40, 4, 700}, {8, 4, 2, 6000}};
    for (int s = 0; s < 2; s++) {
        int64_t n = sizes[s][0], m = sizes[s][1], k = sizes[s][2], N = sizes[s][3];
        double *W0 = new_dictionary(m, n);
        float *X = planted(W0, m, n, k, N, 0.1);
        dltf_learner *learner[3];
        for (int t = 0; t < 3; t++) {
            dltf_train_options options = ksvd_options(m, k, 5);
            options.threads = t + 1;
            learner[t] = new_learner(dltf_matrix_f32(X, N, n), &options);
            run(learner[t]);
            assert_memory_equal(learner[t]->W, learner[0]->W, (size_t)(m * n) * sizeof(double));
            assert_same_history(learner[t], learner[0]);
        }
        for (int t = 0; t < 3; t++)
            dltf_learner_free(learner[t]);
        free(W0);
        free(X);
    }
}

static void history_and_convergence(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_train_options options = ksvd_options(24, 2, 7);
    dltf_learner *learner = new_learner(X, &options);
    assert_int_equal(run(learner), DLTF_ITERATION_LIMIT);
    int64_t count = 0;
    const dltf_iteration *history = dl_learner_history(learner, &count);
    assert_int_equal(count, 7);
    for (int64_t i = 0; i < count; i++) {
        assert_true(strcmp(history[i].stage, "ksvd") == 0 && history[i].index == i && history[i].theta == 1);
        assert_true(history[i].objective == history[i].data_term && isnan(history[i].noise_term));
        assert_near(history[i].objective, 1e4 * 2 / 2.0 * history[i].relative_error,
                    1e-9 * history[i].objective);
    }
    dltf_learner_free(learner);
    options.iterations = 500;
    options.tolerance = 1e-4;
    learner = new_learner(X, &options);
    assert_int_equal(run(learner), DLTF_CONVERGED);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

/* Cancelled after any iteration, saved and resumed: the same bytes as without interruption. */
static void resumes(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_train_options options = ksvd_options(24, 2, 6);
    dltf_learner *whole = new_learner(X, &options);
    run(whole);
    const char *path = "ksvd.checkpoint";
    for (int64_t stop = 1; stop <= 6; stop++) {
        dltf_learner *first = new_learner(X, &options), *second = NULL;
        dltf_outcome outcome = DLTF_CONVERGED;
        test_brake b = {stop};
        assert_int_equal(dltf_learner_run(first, brake, &b, &outcome), DLTF_OK);
        assert_int_equal(outcome, DLTF_INTERRUPTED);
        assert_int_equal(dltf_learner_save(first, path), DLTF_OK);
        assert_int_equal(dltf_learner_resume(path, X, 1, &second), DLTF_OK);
        assert_int_equal(run(second), DLTF_ITERATION_LIMIT);
        assert_memory_equal(second->W, whole->W, sizeof(double) * 24 * 16);
        assert_same_history(second, whole);
        dltf_learner_free(first);
        dltf_learner_free(second);
    }
    dltf_learner *fresh = new_learner(X, &options), *second = NULL; /* one that has not run */
    assert_int_equal(dltf_learner_save(fresh, path), DLTF_OK);
    assert_int_equal(dltf_learner_resume(path, X, 1, &second), DLTF_OK);
    run(second);
    assert_same_history(second, whole);
    unlink(path);
    dltf_learner_free(fresh);
    dltf_learner_free(second);
    dltf_learner_free(whole);
    dltf_synthetic_free(problem);
}

/* ---- Edges ---- */

static void edges(void **state) {
    (void)state;
    const int64_t sizes[][4] = {{1, 1, 1, 1}, {3, 8, 8, 5}, {5, 2, 1, 300}, {4, 12, 12, 40}, {1, 3, 2, 50}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < 3; kind++) {
            int64_t n = sizes[s][0], m = sizes[s][1], k = sizes[s][2], N = sizes[s][3];
            float *X = new_f32(N * n);
            fill_normal(X, N * n);
            for (int64_t i = 0; i < N * n && kind == 1; i++)
                X[i] = X[i % n]; /* all samples the same */
            for (int64_t i = n; i < N * n && kind == 2; i++)
                X[i] = 0; /* all but one zero */
            dltf_train_options options = ksvd_options(m, k, 8);
            dltf_model *model = train(dltf_matrix_f32(X, N, n), &options);
            dltf_model_free(model);
            free(X);
        }
}

static void rejects_bad_arguments(void **state) {
    (void)state;
    const float X[] = {1, 2, 3, 4, 5, 7}, broken[] = {1, 2, 3, NAN, 5, 7};
    dltf_model *model = NULL;
    dltf_train_options options = ksvd_options(2, 1, 3);
    options.select = DLTF_SELECT_POSITIVE;
    assert_fails(dltf_train(dltf_matrix_f32(X, 3, 2), &options, NULL, NULL, &model), DLTF_ARGUMENT,
                 "select: positive is not supported by K-SVD");
    options = ksvd_options(2, 1, 3);
    assert_fails(dltf_train(dltf_matrix_f32(broken, 3, 2), &options, NULL, NULL, &model), DLTF_DATA,
                 "row 1, column 1 is NaN");
    options.error = 1;
    options.method = DLTF_METHOD_DLTF;
    assert_fails(dltf_train(dltf_matrix_f32(X, 3, 2), &options, NULL, NULL, &model), DLTF_ARGUMENT,
                 "error: applies to method ksvd");
    options.error = 0;
    options.update = DLTF_UPDATE_EXACT;
    assert_fails(dltf_train(dltf_matrix_f32(X, 3, 2), &options, NULL, NULL, &model), DLTF_ARGUMENT,
                 "update: applies to method ksvd");
    assert_null(model);
}

/* Minibatches find the atoms, K-SVD goes on from there; errors of codes by OMP are reported. */
static void omp_begins_with_minibatches(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_train_options options = ksvd_options(24, 2, 3);
    options.method = DLTF_METHOD_OMP;
    options.steps = 20;
    options.validation = 0.2;
    dltf_learner *learner = NULL;
    dltf_outcome outcome = DLTF_INTERRUPTED;
    dltf_quality quality;
    assert_int_equal(dltf_learner_new(X, NULL, &options, &learner), DLTF_OK);
    assert_int_equal(dltf_learner_run(learner, NULL, NULL, &outcome), DLTF_OK);
    int64_t count = 0;
    const dltf_iteration *history = dl_learner_history(learner, &count);
    assert_string_equal(history[0].stage, "minibatch");
    assert_string_equal(history[count - 1].stage, "ksvd");
    assert_int_equal(dltf_learner_options(learner).encoder, DLTF_ENCODER_TIED);
    assert_int_equal(dltf_learner_quality(learner, NULL, &quality), DLTF_OK);
    assert_true(quality.held_out && quality.omp_error > 0 && quality.omp_error <= quality.refit_error);
    dltf_learner_free(learner);
    options = dltf_train_options_default();
    options.m = 24;
    options.k = 2;
    options.encoder = DLTF_ENCODER_TIED;
    options.steps = options.iterations = 2;
    assert_int_equal(dltf_learner_new(X, NULL, &options, &learner), DLTF_OK);
    assert_int_equal(dltf_learner_quality(learner, NULL, &quality), DLTF_OK);
    assert_true(isnan(quality.omp_error));
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

static dltf_status train_once(dltf_matrix X) {
    dltf_train_options options = ksvd_options(24, 2, 2);
    dltf_model *model = NULL;
    dltf_status status = dltf_train(X, &options, NULL, NULL, &model);
    assert_true((model != NULL) == (status == DLTF_OK));
    dltf_model_free(model);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    assert_survives_lack_of_memory(train_once(dltf_synthetic_samples(problem, false)), 35);
    dltf_synthetic_free(problem);
}

TESTS_MAIN(cmocka_unit_test(by_definition), cmocka_unit_test(updates_never_raise_the_error),
           cmocka_unit_test(finds_planted_atoms), cmocka_unit_test(replaces_atoms),
           cmocka_unit_test(error_target), cmocka_unit_test(same_bytes_on_any_threads),
           cmocka_unit_test(history_and_convergence), cmocka_unit_test(resumes), cmocka_unit_test(edges),
           cmocka_unit_test(rejects_bad_arguments), cmocka_unit_test(omp_begins_with_minibatches),
           cmocka_unit_test(out_of_memory))
