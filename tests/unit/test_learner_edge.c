/* Edge cases of samples and options: an error with a message, or a sound model; never NaN. */
#include "dltf.h"

#include "learning/learner.h"
#include "learning/learner_facts.h"

#include "test_learning.h"

static dltf_train_options quick(int64_t m, int64_t k) {
    dltf_train_options options = dltf_train_options_default();
    options.m = m;
    options.k = k;
    options.encoder = DLTF_ENCODER_TIED;
    options.steps = 8;
    options.batch = 16;
    options.iterations = 6;
    options.admm = 3;
    options.threads = 1;
    return options;
}

static void assert_finite_history(const dltf_learner *learner) {
    int64_t count = 0;
    const dltf_iteration *r = dl_learner_history(learner, &count);
    for (int64_t i = 0; i < count; i++) {
        bool admm = strcmp(r[i].stage, "admm") == 0, tied = admm || strcmp(r[i].stage, "tied") == 0;
        assert_true(isfinite(r[i].relative_error + r[i].coherence + r[i].frame_potential));
        assert_true(r[i].relative_error >= 0);
        assert_int_equal(isfinite(r[i].objective + r[i].incoherence_term + r[i].data_term), tied);
        assert_int_equal(isfinite(r[i].primal_residual + r[i].dual_residual + r[i].noise_term), admm);
    }
}

/* Trains; the model must be sound, and encode its own training data to finite codes. */
static void learn(dltf_matrix X, const dltf_train_options *options) {
    dltf_learner *learner = NULL;
    dltf_outcome outcome = DLTF_INTERRUPTED;
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    if (dltf_learner_new(X, NULL, options, &learner) != DLTF_OK)
        fail_msg("%s", dltf_message());
    if (dltf_learner_run(learner, NULL, NULL, &outcome) != DLTF_OK)
        fail_msg("%s", dltf_message());
    assert_true(outcome != DLTF_INTERRUPTED);
    assert_finite_history(learner);
    assert_int_equal(dltf_learner_model(learner, &model), DLTF_OK);
    assert_sound_model(model);
    assert_int_equal(dltf_encode(model, X, NULL, NULL, NULL, &codes), DLTF_OK);
    dltf_csr csr = dltf_codes_csr(codes);
    for (int64_t e = 0; e < csr.indptr[csr.rows]; e++)
        assert_true(isfinite(csr.values[e]));
    dltf_codes_free(codes);
    dltf_model_free(model);
    dltf_learner_free(learner);
}

static dltf_status refused(dltf_matrix X, const dltf_train_options *options) {
    dltf_model *model = NULL;
    dltf_status status = dltf_train(X, options, NULL, NULL, &model);
    assert_null(model);
    return status;
}

/* All combinations of preprocessing and selection, with each stage alone and all together. */
static void learn_all_ways(dltf_matrix X, int64_t m, int64_t k) {
    for (int way = 0; way < 8; way++)
        for (int stages = 0; stages < 8; stages++) {
            dltf_train_options options = quick(m, k);
            options.select = way & 1 ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
            options.init = way & 2 ? DLTF_INIT_GAUSSIAN : DLTF_INIT_SAMPLES;
            options.unit_norm = way & 4;
            options.steps = stages & 1 ? options.steps : 0;
            options.iterations = stages & 2 ? options.iterations : 0;
            options.admm = stages & 4 ? options.admm : 0;
            learn(X, &options);
        }
}

enum { N = 40, n = 6 };

static float X[N * n];

static dltf_matrix random_samples(void) {
    fill_normal(X, N * n);
    return dltf_matrix_f32(X, N, n);
}

static void not_finite(void **state) {
    (void)state;
    dltf_matrix data = random_samples();
    dltf_train_options options = quick(8, 2);
    for (int center = 0; center < 2; center++) {
        options.center = center ? DLTF_YES : DLTF_NO;
        X[17 * n + 3] = NAN;
        assert_fails(refused(data, &options), DLTF_DATA, "row 17, column 3 is NaN");
        X[17 * n + 3] = -INFINITY;
        assert_fails(refused(data, &options), DLTF_DATA, "row 17, column 3 is infinite");
        X[17 * n + 3] = 0;
        learn(data, &options);
    }
}

static void impossible_options(void **state) {
    (void)state;
    dltf_matrix data = random_samples();
    dltf_train_options options = quick(3, 4);
    assert_fails(refused(data, &options), DLTF_ARGUMENT, "k: 4 is more than m = 3");
    options = quick(8, -1);
    assert_fails(refused(data, &options), DLTF_ARGUMENT, "k: -1");
    options = quick(46341, 1);
    assert_fails(refused(data, &options), DLTF_ARGUMENT, "46341");
    options = quick(8, 2);
    options.theta = NAN;
    assert_fails(refused(data, &options), DLTF_ARGUMENT, "theta");
    options = quick(8, 2);
    options.lambda = INFINITY;
    assert_fails(refused(data, &options), DLTF_ARGUMENT, "lambda");
    options = quick(8, 2);
    options.beta = 0;
    assert_fails(refused(data, &options), DLTF_ARGUMENT, "beta");
    options = quick(8, 2);
    options.batch = 0;
    assert_fails(refused(data, &options), DLTF_ARGUMENT, "batch");
    options = quick(8, 2);
    options.select = (dltf_select)7;
    assert_fails(refused(data, &options), DLTF_ARGUMENT, "select");
    options = quick(8, 2);
    assert_fails(refused(dltf_matrix_f32(X, 0, n), &options), DLTF_ARGUMENT, "at least one");
    assert_fails(refused(dltf_matrix_f32(NULL, N, n), &options), DLTF_ARGUMENT, "no data");
    options = quick(0, 50); /* k given, m chosen by the learner: at least k */
    learn(data, &options);
}

static void nothing_to_learn(void **state) {
    (void)state;
    dltf_train_options options = quick(8, 2);
    memset(X, 0, sizeof X);
    assert_fails(refused(dltf_matrix_f32(X, N, n), &options), DLTF_DATA,
                 "all 40 samples are zero: there is nothing");
    for (int64_t i = 0; i < N * n; i++)
        X[i] = (float)(i % n) + 0.5f; /* all samples equal: zero after centring */
    options.center = DLTF_YES;
    assert_fails(refused(dltf_matrix_f32(X, N, n), &options), DLTF_DATA, "after the mean is subtracted");
    options.unit_norm = true;
    assert_fails(refused(dltf_matrix_f32(X, N, n), &options), DLTF_DATA, "after the mean is subtracted");
}

static void degenerate_samples(void **state) {
    (void)state;
    for (int64_t i = 0; i < N * n; i++)
        X[i] = 3; /* constant */
    learn_all_ways(dltf_matrix_f32(X, N, n), 8, 2);
    for (int64_t i = 0; i < N * n; i++)
        X[i] = (float)((i % n) * (i % n)) - 4; /* one sample many times */
    learn_all_ways(dltf_matrix_f32(X, N, n), 8, 3);
    for (int64_t i = 0; i < N * n; i++)
        X[i] = (i / n) % 2 ? 1.0f : -1.0f; /* and its opposite */
    learn_all_ways(dltf_matrix_f32(X, N, n), 8, 2);
    memset(X, 0, sizeof X);
    X[13 * n + 2] = 5; /* a single entry */
    learn_all_ways(dltf_matrix_f32(X, N, n), 8, 2);
    dltf_matrix data = random_samples();
    memset(X + 7 * n, 0, n * sizeof *X); /* one zero sample, one zero column */
    for (int64_t i = 0; i < N; i++)
        X[i * n + 4] = 0;
    learn_all_ways(data, 8, 2);
    for (int64_t i = 0; i < N * n; i++)
        X[i] = (float)(i % n == 0) * (float)normal(); /* all on one line */
    learn_all_ways(data, 8, 2);
    for (int64_t i = 0; i < N * n; i++)
        X[i] = -fabsf((float)normal()); /* no positive score with positive atoms */
    learn_all_ways(data, 8, 2);
}

static void small_shapes(void **state) {
    (void)state;
    static const int64_t shapes[][4] = {
        /* N, n, m, k */
        {1, 6, 4, 2},  {1, 1, 1, 1},  {40, 1, 5, 2}, {40, 1, 1, 1}, {40, 6, 1, 1},  {40, 6, 9, 9},
        {40, 6, 9, 1}, {5, 6, 20, 3}, {2, 6, 3, 3},  {40, 6, 6, 6}, {3, 2, 64, 20},
    };
    random_samples();
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        learn_all_ways(dltf_matrix_f32(X, shapes[s][0], shapes[s][1]), shapes[s][2], shapes[s][3]);
}

/* m and k left to the learner, for any shape. */
static void chosen_sizes(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {1, 6}, {40, 1}, {40, 6}, {2, 100}, {240, 1}};
    random_samples();
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        dltf_train_options options = quick(0, 0);
        learn(dltf_matrix_f32(X, shapes[s][0], shapes[s][1]), &options);
    }
}

static void other_types(void **state) {
    (void)state;
    static uint8_t bytes[N * n];
    static double doubles[N * n];
    for (int64_t i = 0; i < N * n; i++) {
        bytes[i] = (uint8_t)below(256);
        doubles[i] = normal();
    }
    learn_all_ways(dltf_matrix_u8(bytes, N, n), 8, 2);
    learn_all_ways(dltf_matrix_f64(doubles, N, n), 8, 2);
    memset(bytes, 255, sizeof bytes);
    learn_all_ways(dltf_matrix_u8(bytes, N, n), 8, 2);
}

/* Any magnitude: a sound model, or an error with a remedy. */
static void extreme_magnitudes(void **state) {
    (void)state;
    static double doubles[N * n];
    const double magnitudes[] = {1e300, 1e160, 1e150, 1e40, 1e-40, 1e-130, 1e-145, 1e-300, 5e-324};
    for (size_t s = 0; s < sizeof magnitudes / sizeof *magnitudes; s++)
        for (int way = 0; way < 4; way++) {
            for (int64_t i = 0; i < N * n; i++)
                doubles[i] = magnitudes[s] * (double)(1 + below(100));
            dltf_train_options options = quick(8, 2);
            options.center = way & 1 ? DLTF_YES : DLTF_NO;
            options.unit_norm = way & 2;
            dltf_model *model = NULL;
            dltf_status status = dltf_train(dltf_matrix_f64(doubles, N, n), &options, NULL, NULL, &model);
            if (status == DLTF_OK) {
                assert_sound_model(model);
            } else {
                assert_int_equal(status, DLTF_NUMERIC);
                assert_message_has("rescale the data");
                assert_true(magnitudes[s] > 1e30 || magnitudes[s] < 1e-30);
            }
            dltf_model_free(model);
        }
}

/* One sample much larger than all others, and one much smaller. */
static void mixed_magnitudes(void **state) {
    (void)state;
    for (int large = 0; large < 2; large++) {
        dltf_matrix data = random_samples();
        for (int64_t j = 0; j < n; j++)
            X[5 * n + j] *= large ? 1e30f : 1e-35f;
        learn_all_ways(data, 8, 2);
    }
}

static void extreme_options(void **state) {
    (void)state;
    dltf_matrix data = random_samples();
    dltf_train_options options = quick(8, 2);
    options.batch = 1000; /* more than the number of samples */
    learn(data, &options);
    options.batch = 1;
    learn(data, &options);
    options = quick(8, 2);
    options.ridge = 0;
    learn(data, &options);
    options.ridge = 1e6;
    learn(data, &options);
    options = quick(8, 2);
    options.theta = 0;
    learn(data, &options);
    options.theta_start = 0;
    learn(data, &options);
    options.lambda = 0;
    learn(data, &options);
    options = quick(8, 2);
    options.theta_start = options.theta = 1e12;
    learn(data, &options);
    options.theta_start = options.theta = 1e-300;
    learn(data, &options);
    options = quick(8, 2);
    options.iterations = 1;
    learn(data, &options);
    options.seed = INT64_MAX / 2;
    learn(data, &options);
    options.threads = 1024; /* more than tasks */
    learn(dltf_matrix_f32(X, 4, n), &options);
}

/* Extreme penalties must not give NaN: a sound model, or an error. */
static void hopeless_penalties(void **state) {
    (void)state;
    const double lambdas[] = {0, 1e-6, 1, 1e6, 1e12}, betas[] = {1e-12, 1e-3, 1, 1e6, 1e12};
    dltf_matrix data = random_samples();
    for (int i = 0; i < 25; i++) {
        dltf_train_options options = quick(8, 2);
        options.lambda = lambdas[i / 5];
        options.beta = betas[i % 5];
        options.admm = 15;
        dltf_model *model = NULL;
        dltf_status status = dltf_train(data, &options, NULL, NULL, &model);
        if (status == DLTF_OK)
            assert_sound_model(model);
        else
            assert_message_has("diverged");
        dltf_model_free(model);
    }
}

/* Without iterations the model is the initial dictionary. */
static void no_iterations(void **state) {
    (void)state;
    dltf_matrix data = random_samples();
    dltf_train_options options = quick(N, 2);
    options.steps = options.iterations = options.admm = 0;
    dltf_model *model = NULL;
    assert_int_equal(dltf_train(data, &options, NULL, NULL, &model), DLTF_OK);
    assert_sound_model(model);
    const float *W = dltf_model_get(model).dictionary;
    for (int64_t j = 0; j < N; j++) { /* m = N atoms: every sample once */
        double best = 0;
        for (int64_t i = 0; i < N; i++) {
            double along = 0, square = 0;
            for (int64_t d = 0; d < n; d++) {
                along += (double)W[j * n + d] * (double)X[i * n + d];
                square += (double)X[i * n + d] * (double)X[i * n + d];
            }
            best = fmax(best, fabs(along) / sqrt(square));
        }
        assert_near(best, 1, 1e-6);
    }
    dltf_model_free(model);
}

/* ---- out of memory ---- */

static dltf_status learn_in_pieces(dltf_matrix data, const dltf_train_options *options) {
    dltf_learner *learner = NULL;
    dltf_model *model = NULL;
    dltf_outcome outcome;
    dltf_status status = dltf_learner_new(data, NULL, options, &learner);
    if (status == DLTF_OK)
        status = dltf_learner_run(learner, NULL, NULL, &outcome);
    if (status == DLTF_OK)
        status = dltf_learner_model(learner, &model);
    if (status == DLTF_OK)
        assert_sound_model(model);
    else
        assert_null(model);
    dltf_model_free(model);
    dltf_learner_free(learner);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    dltf_matrix data = random_samples();
    dltf_train_options options = quick(5, 2);
    options.steps = options.iterations = options.admm = 1;
    options.center = DLTF_YES;
    options.threads = 2;
    assert_survives_lack_of_memory(learn_in_pieces(data, &options), 60);
}

static dltf_status train_once(dltf_matrix data, const dltf_train_options *options) {
    dltf_model *model = NULL;
    dltf_status status = dltf_train(data, options, NULL, NULL, &model);
    assert_true((model != NULL) == (status == DLTF_OK));
    dltf_model_free(model);
    return status;
}

static void out_of_memory_in_train(void **state) {
    (void)state;
    dltf_matrix data = random_samples();
    dltf_train_options options = quick(5, 2);
    options.steps = options.iterations = options.admm = 1;
    assert_survives_lack_of_memory(train_once(data, &options), 60);
}

/* Allocation of the history fails during a run; the same learner then continues to the usual result. */
static void memory_fails_during_a_run(void **state) {
    (void)state;
    dltf_matrix data = random_samples();
    dltf_train_options options = quick(5, 2);
    options.steps = 0;
    options.iterations = 70; /* the first allocation holds 64 records */
    options.tolerance = 1e-300;
    for (int late = 0; late < 2; late++) {
        dltf_learner *whole = NULL, *learner = NULL;
        dltf_outcome outcome;
        dltf_model *a = NULL, *b = NULL;
        assert_int_equal(dltf_learner_new(data, NULL, &options, &whole), DLTF_OK);
        assert_int_equal(dltf_learner_new(data, NULL, &options, &learner), DLTF_OK);
        assert_int_equal(dltf_learner_run(whole, NULL, NULL, &outcome), DLTF_OK);
        if (late) {
            test_brake b10 = {.left = 10};
            assert_int_equal(dltf_learner_run(learner, brake, &b10, &outcome), DLTF_OK);
        }
        dl_alloc_fail_after(1);
        dltf_status status = dltf_learner_run(learner, NULL, NULL, &outcome);
        dl_alloc_fail_after(0);
        assert_int_equal(status, DLTF_MEMORY);
        assert_int_equal(dltf_learner_run(learner, NULL, NULL, &outcome), DLTF_OK);
        assert_int_equal(dltf_learner_model(whole, &a), DLTF_OK);
        assert_int_equal(dltf_learner_model(learner, &b), DLTF_OK);
        assert_same_dictionary(a, b);
        assert_same_history(whole, learner);
        dltf_model_free(a);
        dltf_model_free(b);
        dltf_learner_free(whole);
        dltf_learner_free(learner);
    }
}

TESTS_MAIN(cmocka_unit_test(not_finite), cmocka_unit_test(impossible_options),
           cmocka_unit_test(nothing_to_learn), cmocka_unit_test(degenerate_samples),
           cmocka_unit_test(small_shapes), cmocka_unit_test(chosen_sizes), cmocka_unit_test(other_types),
           cmocka_unit_test(extreme_magnitudes), cmocka_unit_test(mixed_magnitudes),
           cmocka_unit_test(extreme_options), cmocka_unit_test(hopeless_penalties),
           cmocka_unit_test(no_iterations), cmocka_unit_test(out_of_memory),
           cmocka_unit_test(out_of_memory_in_train), cmocka_unit_test(memory_fails_during_a_run))
