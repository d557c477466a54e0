/* The gradient learner: whole trainings. */
#include "program/program.h"
#include "test_small_learner.h"

#include <stdio.h>

static void same_bytes_for_any_threads(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(16, 40, 3, sized(2000, 400), 0.05);
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    for (int kind = 0; kind < 3; kind++) {
        dltf_model *models[3];
        for (int t = 0; t < 3; t++) {
            dltf_train_options options = learned(40, 3);
            options.epochs = 6;
            options.threads = t + 1;
            options.select = kind == 1 ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
            options.unit_norm = kind == 2;
            options.center = kind == 2 ? DLTF_YES : DLTF_NO;
            models[t] = train(X, &options);
            dltf_model_view a = dltf_model_get(models[0]), b = dltf_model_get(models[t]);
            assert_same_dictionary(models[0], models[t]);
            assert_memory_equal(a.encoder, b.encoder, (size_t)(a.m * a.n) * sizeof(float));
            assert_memory_equal(a.bias, b.bias, (size_t)a.m * sizeof(float));
        }
        for (int t = 0; t < 3; t++)
            dltf_model_free(models[t]);
    }
    dltf_synthetic_free(problem);
}

/* The held-out error decreases with the number of atoms, and the history agrees with the model. */
static void more_atoms_are_better(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(16, 64, 3, sized(4000, 1000), 0.05);
    dltf_matrix X = dltf_synthetic_samples(problem, false), test = dltf_synthetic_samples(problem, true);
    double before = 1;
    for (int64_t atoms = 8; atoms <= 128; atoms *= 4) {
        dltf_train_options options = learned(atoms, 3);
        options.epochs = (double)sized(40, 20);
        dltf_learner *learner = new_learner(X, &options);
        run(learner);
        dltf_model *model = model_of(learner);
        dltf_quality quality = {0};
        assert_int_equal(dltf_learner_quality(learner, NULL, &quality), DLTF_OK);
        double raw = error_of(model, test, false), refit = error_of(model, test, true);
        print_message("m = %lld: raw %.3f, refit %.3f, held out %.3f, unused %.3f\n", (long long)atoms, raw,
                      refit, quality.raw_error, quality.unused_share);
        assert_true(refit < before && refit <= raw * (1 + 1e-6));
        assert_near(quality.raw_error, raw, 0.25 * raw);
        /* Atoms that are used equally often are in no code of the held-out samples with this probability. */
        double by_chance = exp(-3 * (double)X.rows / 10 / (double)atoms);
        assert_true(quality.unused_share < 0.1 + 2 * by_chance);
        before = refit;
        dltf_model_free(model);
        dltf_learner_free(learner);
    }
    dltf_synthetic_free(problem);
}

/* Unused atoms are those in no code of a held-out sample: 20 samples with 3 entries cannot use 128 atoms. */
static void unused_share_of_held_out_samples(void **state) {
    (void)state;
    const int64_t atoms = 128, samples = 200, held_out = samples / 10, k = 3;
    dltf_synthetic *problem = new_synthetic(16, 64, k, samples, 0.05);
    dltf_train_options options = learned(atoms, k);
    options.epochs = 20;
    dltf_learner *learner = new_learner(dltf_synthetic_samples(problem, false), &options);
    run(learner);
    dltf_quality quality = {0};
    assert_int_equal(dltf_learner_quality(learner, NULL, &quality), DLTF_OK);
    double unused = quality.unused_share;
    print_message("unused: %.3f\n", unused);
    assert_true(unused >= 1 - (double)(held_out * k) / (double)atoms && unused < 1);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

/* Non-negative samples with a large mean: positive codes are as good as signed ones, however the samples are
 * preprocessed, and not many more atoms are unused. */
static void positive_is_as_good(void **state) {
    (void)state;
    const int64_t cols = 24, rows = sized(2000, 1000), atoms = 40;
    dltf_synthetic *problem = new_synthetic(cols, 40, 4, rows, 0.05);
    float *X = new_f32(rows * cols);
    memcpy(X, dltf_synthetic_samples(problem, false).data, (size_t)(rows * cols) * sizeof *X);
    for (int64_t i = 0; i < rows * cols; i++)
        X[i] += (float)(1 + i % cols % 3);
    for (int kind = 0; kind < 4; kind++) {
        dltf_quality quality[2];
        for (int positive = 0; positive < 2; positive++) {
            dltf_train_options options = learned(atoms, 6);
            options.epochs = (double)sized(100, 200);
            options.select = positive ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
            options.center = kind == 1 ? DLTF_YES : DLTF_AUTO;
            options.remove_mean = kind == 2;
            options.unit_norm = kind == 3;
            dltf_learner *learner = new_learner(dltf_matrix_f32(X, rows, cols), &options);
            run(learner);
            assert_int_equal(dltf_learner_quality(learner, NULL, &quality[positive]), DLTF_OK);
            dltf_learner_free(learner);
        }
        print_message("abs %.4f, positive %.4f, unused %.3f, %.3f\n", quality[0].raw_error,
                      quality[1].raw_error, quality[0].unused_share, quality[1].unused_share);
        assert_true(quality[1].raw_error <= 1.1 * quality[0].raw_error);
        assert_true(quality[1].unused_share <= quality[0].unused_share + 0.1);
    }
    free(X);
    dltf_synthetic_free(problem);
}

/* With positive selection the model keeps the sign of unused atoms: its scores are those of the learner. */
static void signs_of_unused_atoms(void **state) {
    (void)state;
    const int64_t atoms = 64, cols = 8, rows = 100;
    float *X = new_f32(rows * cols);
    fill_normal(X, rows * cols);
    dltf_train_options options = learned(atoms, 2);
    options.select = DLTF_SELECT_POSITIVE;
    options.epochs = 1;
    dltf_learner *learner = new_learner(dltf_matrix_f32(X, rows, cols), &options);
    run(learner);
    int64_t unused = 0, reversed = 0;
    for (int64_t j = 0; j < atoms; j += 2)
        learner->code_sum[j] = 0;
    dltf_model *model = model_of(learner);
    dltf_model_view view = dltf_model_get(model);
    for (int64_t j = 0; j < atoms; j++) {
        unused += learner->code_sum[j] == 0;
        for (int64_t d = 0; d < cols; d++)
            reversed += (double)view.encoder[j * cols + d] * learner->E[j * cols + d] < 0;
    }
    assert_true(unused >= atoms / 2);
    assert_int_equal(reversed, 0);
    dltf_model_free(model);
    dltf_learner_free(learner);
    free(X);
}

/* A training from a finished model starts at its error. */
static void warm_start(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(16, 32, 3, 1000, 0.05);
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_train_options options = learned(32, 3);
    options.epochs = 30;
    dltf_model *first = train(X, &options);
    options.epochs = 1;
    for (int fresh = 0; fresh < 2; fresh++) {
        dltf_learner *learner = NULL;
        assert_int_equal(dltf_learner_new(X, fresh ? NULL : first, &options, &learner), DLTF_OK);
        run(learner);
        int64_t count = 0;
        double error = dl_learner_history(learner, &count)->relative_error, known = error_of(first, X, false);
        print_message("first round: %.4f, finished model %.4f\n", error, known);
        if (fresh)
            assert_true(error > 1.5 * known);
        else
            assert_true(error < 1.2 * known);
        dltf_learner_free(learner);
    }
    dltf_model_free(first);
    dltf_synthetic_free(problem);
}

/* Fine-tuning lowers the error of raw scores without losing supports. */
static void fine_tuning(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(32, 48, 3, sized(4000, 1000), 0.1);
    dltf_matrix X = dltf_synthetic_samples(problem, false), test = dltf_synthetic_samples(problem, true);
    double raw[2], wrong[2], recovered;
    for (int tuned = 0; tuned < 2; tuned++) {
        dltf_train_options options = dltf_train_options_default();
        options.m = 48;
        options.k = 3;
        options.encoder = DLTF_ENCODER_DISTILLED;
        options.finetune = tuned ? sized(400, 200) : 0;
        dltf_model *model = train(X, &options);
        raw[tuned] = error_of(model, test, false);
        wrong[tuned] = score(model, problem, &recovered);
        dltf_model_free(model);
    }
    print_message("raw error %.4f -> %.4f, ave_dif %.3f -> %.3f\n", raw[0], raw[1], wrong[0], wrong[1]);
    assert_true(raw[1] < 0.9 * raw[0] && wrong[1] < 1.05 * wrong[0]);
    dltf_synthetic_free(problem);
}

/* Every row is in exactly one part, each part in the order of the rows. */
static void split_rows(void **state) {
    (void)state;
    for (int64_t N = 1; N < 400; N += N < 40 ? 1 : 37)
        for (int64_t most = 1; most < 50; most += 12) {
            dl_holdout holdout = dl_holdout_rows(N, 0.1, most, 7);
            int64_t held_out = 0, training = 0, previous = -1;
            assert_true(holdout.held_out <= most && holdout.held_out <= N / 10);
            assert_true(N < 10 || holdout.held_out > 0);
            for (int64_t row = 0; row < N; row++) {
                bool held = held_out < holdout.held_out && dl_holdout_row(&holdout, held_out) == row;
                bool trains =
                    training < N - holdout.held_out && dl_holdout_training(&holdout, training) == row;
                assert_true(held != trains);
                held_out += held;
                training += trains;
            }
            assert_true(held_out == holdout.held_out && training == N - held_out);
            for (int64_t i = 0; i < held_out; i++) {
                assert_true(dl_holdout_row(&holdout, i) / holdout.group > previous);
                previous = i;
            }
        }
    dl_holdout none = {0}, first = dl_holdout_rows(1000, 0.1, 100, 1),
               second = dl_holdout_rows(1000, 0.1, 100, 2);
    int64_t same = 0;
    for (int64_t i = 0; i < 100; i++) {
        assert_int_equal(dl_holdout_training(&none, i), i);
        same += dl_holdout_row(&first, i) == dl_holdout_row(&second, i);
    }
    assert_true(same < 30);
}

/* The error after refit of the samples that a learner with these options holds out. */
static double held_out_error(const dltf_model *model, const float *X, int64_t rows, int64_t cols) {
    dl_holdout holdout = dl_holdout_rows(rows, 0.1, 2000, 0);
    float *held_out = new_f32(holdout.held_out * cols);
    for (int64_t i = 0; i < holdout.held_out; i++)
        memcpy(held_out + i * cols, X + dl_holdout_row(&holdout, i) * cols, (size_t)cols * sizeof *X);
    double error = error_of(model, dltf_matrix_f32(held_out, holdout.held_out, cols), true);
    free(held_out);
    return error;
}

/* `best` keeps the candidate with the smaller error on held-out samples, and says so. Codes of ones favour
 * distilled, samples without any code learned. */
static void keeps_the_better(void **state) {
    (void)state;
    enum { ROWS_HERE = 2000, COLS = 32 };
    dltf_synthetic *problem = new_synthetic(COLS, 64, 4, ROWS_HERE, 0.05);
    float *X = new_f32(ROWS_HERE * COLS);
    for (int plain = 0; plain < 2; plain++) {
        if (plain) {
            fill_normal(X, ROWS_HERE * COLS);
            for (int64_t i = 0; i < ROWS_HERE * COLS; i++)
                X[i] *= (float)(1 + i % COLS);
        } else {
            memcpy(X, dltf_synthetic_samples(problem, false).data, ROWS_HERE * COLS * sizeof *X);
        }
        dltf_train_options options = learned(64, 4);
        options.encoder = DLTF_ENCODER_AUTO;
        options.steps = 60;
        dltf_learner *learner = new_learner(dltf_matrix_f32(X, ROWS_HERE, COLS), &options);
        assert_int_equal(dltf_learner_options(learner).encoder, DLTF_ENCODER_BEST);
        run(learner);
        dltf_model *model = model_of(learner);
        const char *choice = dl_learner_choice(learner);
        char kind[20], other[20];
        double chosen, rejected;
        print_message("%s\n", choice);
        assert_int_equal(sscanf(choice, "%19[a-z]: relative error after refit %lf, %19[a-z] %lf", kind,
                                &chosen, other, &rejected),
                         4);
        assert_string_equal(kind, plain ? "learned" : "distilled");
        assert_string_equal(other, plain ? "distilled" : "learned");
        assert_true(chosen < rejected);
        assert_near(held_out_error(model, X, ROWS_HERE, COLS), chosen, 1e-4);
        assert_string_equal(dltf_model_note(model, "encoder.choice"), choice);
        dltf_model_free(model);
        dltf_learner_free(learner);
    }
    free(X);
    dltf_synthetic_free(problem);
}

static void odd_shapes(void **state) {
    (void)state;
    const struct {
        int64_t rows, cols, atoms, entries;
        int kind; /* 0: Gaussian, 1: copies of one row, 2: constant, 3: mostly zero */
    } shapes[] = {{1, 3, 2, 1, 0},  {2, 1, 1, 1, 0},   {5, 4, 30, 30, 0}, {12, 4, 6, 6, 0},  {40, 5, 8, 2, 1},
                  {40, 5, 8, 3, 2}, {50, 6, 12, 2, 3}, {30, 40, 7, 3, 0}, {25, 3, 700, 2, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int positive = 0; positive < 2; positive++) {
            int64_t rows = shapes[s].rows, cols = shapes[s].cols;
            float *X = new_f32(rows * cols);
            fill_normal(X, rows * cols);
            for (int64_t i = 0; i < rows * cols; i++) {
                X[i] = shapes[s].kind == 1 ? X[i % cols] : shapes[s].kind == 2 ? 3 : X[i];
                X[i] = shapes[s].kind == 3 && i >= cols ? 0 : X[i];
            }
            dltf_train_options options = learned(shapes[s].atoms, shapes[s].entries);
            options.select = positive ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
            options.epochs = 30;
            dltf_model *model = train(dltf_matrix_f32(X, rows, cols), &options);
            dltf_model_view view = dltf_model_get(model);
            for (int64_t i = 0; i < view.m * view.n; i++)
                assert_true(isfinite(view.encoder[i]));
            for (int64_t j = 0; j < view.m; j++)
                assert_true(isfinite(view.bias[j]));
            assert_true(isfinite(error_of(model, dltf_matrix_f32(X, rows, cols), true)));
            dltf_model_free(model);
            free(X);
        }
}

/* More atoms than the Gram matrix allows. */
static void very_many_atoms(void **state) {
    (void)state;
    float *X = new_f32(300 * 4);
    fill_normal(X, 300 * 4);
    dltf_train_options options = learned(60000, 2);
    options.encoder = DLTF_ENCODER_AUTO;
    options.epochs = 1;
    dltf_learner *learner = new_learner(dltf_matrix_f32(X, 300, 4), &options);
    assert_int_equal(dltf_learner_options(learner).encoder, DLTF_ENCODER_LEARNED);
    run(learner);
    dltf_model *model = model_of(learner);
    dltf_model_free(model);
    dltf_learner_free(learner);
    options.encoder = DLTF_ENCODER_TIED;
    options.epochs = 0;
    assert_fails(dltf_learner_new(dltf_matrix_f32(X, 300, 4), NULL, &options, &learner), DLTF_ARGUMENT,
                 "m: 60000 is out of range: more than 46,340 atoms require encoder learned");
    free(X);
}

static dltf_status train_once(dltf_matrix X) {
    dltf_train_options options = learned(8, 2);
    dltf_model *model = NULL;
    options.epochs = 1;
    dltf_status status = dltf_train(X, &options, NULL, NULL, &model);
    dltf_model_free(model);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    float *X = new_f32(50 * 4);
    fill_normal(X, 50 * 4);
    assert_survives_lack_of_memory(train_once(dltf_matrix_f32(X, 50, 4)), 40);
    free(X);
}

TESTS_MAIN(cmocka_unit_test(fine_tuning), cmocka_unit_test(split_rows), cmocka_unit_test(keeps_the_better),
           cmocka_unit_test(unused_share_of_held_out_samples), cmocka_unit_test(same_bytes_for_any_threads),
           cmocka_unit_test(more_atoms_are_better), cmocka_unit_test(signs_of_unused_atoms),
           cmocka_unit_test(positive_is_as_good), cmocka_unit_test(warm_start), cmocka_unit_test(odd_shapes),
           cmocka_unit_test(very_many_atoms), cmocka_unit_test(out_of_memory))
