/* The gradient learner: gradients against finite differences, steps against dense loops in double, and whole
 * trainings. */
#include "learning/gradient.h"
#include "test_small_learner.h"

#include <stdio.h>

enum { m = 9, n = 5, k = 3, ROWS = 7 };

static const dl_gradient_rule plain = {.rate = 0.01f, .growth = 1, .centered = true};

/* Random parameters and a coded batch. */
static void make(dl_gradient *g, bool positive, int threads) {
    assert_int_equal(dl_gradient_alloc(g, threads, m, n, k, positive, ROWS), DLTF_OK);
    double *W = new_dictionary(m, n);
    for (int64_t i = 0; i < m * n; i++)
        g->W.value[i] = (float)W[i];
    fill_normal(g->E.value, m * n);
    fill_normal(g->b.value, m);
    fill_normal(g->Y, ROWS * n);
    free(W);
    dl_gradient_pack(g);
    g->rows = ROWS;
    dl_gradient_code(g);
}

/* 1/2 sum ||y - Wz||^2 / ROWS with codes on the supports that were chosen, from parameters in double. */
static double loss(const dl_gradient *g, const double *W, const double *E, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        double r[n];
        for (int64_t d = 0; d < n; d++)
            r[d] = (double)g->Y[i * n + d];
        for (int64_t e = i * k; e < i * k + g->Z.count[i]; e++) {
            int64_t j = g->Z.index[e];
            double z = -b[j];
            for (int64_t d = 0; d < n; d++)
                z += E[j * n + d] * (double)g->Y[i * n + d];
            for (int64_t d = 0; d < n; d++)
                r[d] -= z * W[j * n + d];
        }
        sum += dot_f64(r, r, n) / 2 / ROWS;
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

/* The mean of the batch where the encoder is learned from y - c, otherwise 0. */
static void center_of(const dl_gradient *g, double *c) {
    for (int64_t d = 0; d < n; d++) {
        c[d] = 0;
        for (int64_t i = 0; g->positive && i < ROWS; i++)
            c[d] += (double)g->Y[i * n + d] / ROWS;
    }
}

/* After the first step a moment is a tenth of the gradient; that of E is taken with the score of c fixed. */
static void gradients(void **state) {
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        dl_gradient g;
        make(&g, positive, 1);
        double *W = new_wide(g.W.value, m * n), *E = new_wide(g.E.value, m * n), *b = new_wide(g.b.value, m);
        double *w_slope = new_f64(m * n), *e_slope = new_f64(m * n), *b_slope = new_f64(m), c[n];
        center_of(&g, c);
        for (int64_t i = 0; i < m * n; i++) {
            w_slope[i] = difference(&g, W, E, b, &W[i]);
            e_slope[i] = difference(&g, W, E, b, &E[i]);
        }
        for (int64_t j = 0; j < m; j++) {
            b_slope[j] = difference(&g, W, E, b, &b[j]);
            double along = dot_f64(w_slope + j * n, W + j * n, n) / dot_f64(W + j * n, W + j * n, n);
            for (int64_t d = 0; d < n; d++) {
                w_slope[j * n + d] -= along * W[j * n + d];
                e_slope[j * n + d] += b_slope[j] * c[d];
            }
        }
        dl_gradient_step(&g, &plain);
        for (int64_t i = 0; i < m * n; i++) {
            assert_near(10 * (double)g.W.moment[i], w_slope[i], 1e-5);
            assert_near(10 * (double)g.E.moment[i], e_slope[i], 1e-5);
        }
        for (int64_t j = 0; j < m; j++)
            assert_near(10 * (double)g.b.moment[j], b_slope[j], 1e-5);
        free(W);
        free(E);
        free(b);
        free(w_slope);
        free(e_slope);
        free(b_slope);
        dl_gradient_free(&g);
    }
}

/* With refit: values are those of least squares, D is what scores lack of them. */
static void refitted(void **state) {
    (void)state;
    dl_gradient g, plain_codes;
    make(&plain_codes, false, 1);
    make(&g, false, 1);
    memcpy(g.Y, plain_codes.Y, ROWS * n * sizeof *g.Y);
    memcpy(g.W.value, plain_codes.W.value, m * n * sizeof *g.Y);
    memcpy(g.E.value, plain_codes.E.value, m * n * sizeof *g.Y);
    memcpy(g.b.value, plain_codes.b.value, m * sizeof *g.Y);
    dl_gradient_pack(&g);
    assert_int_equal(dl_gradient_alloc_refit(&g), DLTF_OK);
    g.refit = true;
    dl_gradient_error raw = dl_gradient_code(&plain_codes), best = dl_gradient_code(&g);
    assert_true(best.left < raw.left && best.energy == raw.energy);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t e = i * k; e < i * k + g.Z.count[i]; e++) {
            assert_int_equal(g.Z.index[e], plain_codes.Z.index[e]);
            assert_near((double)g.D[e], (double)(g.Z.value[e] - plain_codes.Z.value[e]), 1e-5);
            double along = 0; /* the residual is orthogonal to every atom of the code */
            for (int64_t d = 0; d < n; d++)
                along += (double)g.R[i * n + d] * (double)g.W.value[g.Z.index[e] * n + d];
            assert_near(along, 0, 1e-4);
        }
    dl_gradient_free(&plain_codes);
    dl_gradient_free(&g);
}

/* ---- Steps against dense loops ---- */

typedef struct dense {
    double W[m * n], E[m * n], b[m], mW[m * n], mE[m * n], mb[m], vW[m], vE[m], vb[m];
    int t[m];
} dense;

static void dense_adam(double *p, double *moment, double *v, const double *slope, int64_t count, int t,
                       double rate) {
    *v = 0.99 * *v + 0.01 * dot_f64(slope, slope, count) / (double)count;
    for (int64_t i = 0; i < count; i++) {
        moment[i] = 0.9 * moment[i] + 0.1 * slope[i];
        p[i] -= rate * (moment[i] / (1 - pow(0.9, t))) / (sqrt(*v / (1 - pow(0.99, t))) + 1e-8);
    }
}

/* The same step from Y and the supports of the batch, densely: every atom visits every sample. */
static void dense_step(dense *s, const dl_gradient *g, double rate, double tie) {
    double z[ROWS * m] = {0}, r[ROWS * n], d, center[n];
    center_of(g, center);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t c = 0; c < n; c++)
            r[i * n + c] = (double)g->Y[i * n + c];
        for (int64_t e = i * k; e < i * k + g->Z.count[i]; e++) {
            int64_t j = g->Z.index[e];
            for (int64_t c = 0; c < n; c++)
                z[i * m + j] += s->E[j * n + c] * (double)g->Y[i * n + c];
            z[i * m + j] -= s->b[j];
            for (int64_t c = 0; c < n; c++)
                r[i * n + c] -= z[i * m + j] * s->W[j * n + c];
        }
    }
    for (int64_t j = 0; j < m; j++) {
        double w_slope[n] = {0}, e_slope[n] = {0}, b_slope = 0, *w = s->W + j * n, *e = s->E + j * n;
        bool used = false;
        for (int64_t i = 0; i < ROWS; i++) {
            if (z[i * m + j] == 0)
                continue;
            used = true;
            d = dot_f64(w, r + i * n, n);
            for (int64_t c = 0; c < n; c++) {
                w_slope[c] -= z[i * m + j] * r[i * n + c] / ROWS;
                e_slope[c] -= d * ((double)g->Y[i * n + c] - center[c]) / ROWS;
            }
            b_slope += d / ROWS;
        }
        if (!used)
            continue;
        double along = dot_f64(w_slope, w, n), before = dot_f64(e, center, n);
        for (int64_t c = 0; c < n; c++)
            w_slope[c] -= along * w[c];
        s->t[j]++;
        dense_adam(w, s->mW + j * n, &s->vW[j], w_slope, n, s->t[j], rate);
        dense_adam(e, s->mE + j * n, &s->vE[j], e_slope, n, s->t[j], rate);
        dense_adam(&s->b[j], &s->mb[j], &s->vb[j], &b_slope, 1, s->t[j], rate);
        double on = dot_f64(e, w, n), norm;
        for (int64_t c = 0; c < n; c++)
            e[c] += tie * (on * w[c] - e[c]);
        s->b[j] += dot_f64(e, center, n) - before;
        norm = sqrt(dot_f64(w, w, n));
        for (int64_t c = 0; c < n; c++)
            w[c] /= norm;
    }
}

static void compare_steps(bool positive) {
    dl_gradient g;
    make(&g, positive, 2);
    dense s;
    memset(&s, 0, sizeof s);
    for (int64_t i = 0; i < m * n; i++) {
        s.W[i] = (double)g.W.value[i];
        s.E[i] = (double)g.E.value[i];
    }
    for (int64_t j = 0; j < m; j++)
        s.b[j] = (double)g.b.value[j];
    dl_gradient_rule rule = {.rate = 0.01f, .tie = 0.02f, .growth = 1, .centered = true};
    for (int step = 0; step < 20; step++) {
        fill_normal(g.Y, ROWS * n);
        dl_gradient_code(&g);
        dense_step(&s, &g, 0.01, 0.02);
        dl_gradient_step(&g, &rule);
        for (int64_t i = 0; i < m * n; i++) {
            assert_near((double)g.W.value[i], s.W[i], 1e-4);
            assert_near((double)g.E.value[i], s.E[i], 1e-4);
        }
        for (int64_t j = 0; j < m; j++) {
            assert_near((double)g.b.value[j], s.b[j], 1e-4);
            assert_true(g.packed.bias[j] == -g.b.value[j]);
            for (int64_t d = 0; d < n; d++)
                assert_true(g.packed.data[d * DL_PANEL + j] == g.E.value[j * n + d]);
        }
    }
    dl_gradient_free(&g);
}

static void steps_by_loops(void **state) {
    (void)state;
    compare_steps(false);
    compare_steps(true);
}

/* An unused atom is unchanged until its patience ends; then its encoder row grows (abs) or its bias falls
 * (positive), up to a bound. */
static void unused_atoms(void **state) {
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        dl_gradient g;
        make(&g, positive, 1);
        for (int64_t i = 0; i < ROWS * n; i++)
            g.Y[i] = 1;
        for (int64_t d = 0; d < n; d++)
            g.E.value[d] = -1e-4f; /* atom 0: scores -.0005 - b */
        g.b.value[0] = positive ? 10 : 0;
        dl_gradient_rule rule = {
            .rate = 0, .patience = 2 * ROWS, .growth = 1.01f, .lift = 0.5f, .centered = true};
        dl_gradient_pack(&g);
        for (int step = 0; step < 2; step++) {
            dl_gradient_code(&g);
            dl_gradient_step(&g, &rule);
            assert_true(g.E.value[0] == -1e-4f && g.updates[0] == 0 && g.idle[0] == (step + 1) * ROWS);
        }
        for (int step = 0; step < 10; step++) {
            dl_gradient_code(&g);
            dl_gradient_step(&g, &rule);
        }
        assert_near((double)g.E.value[0], -1e-4 * (positive ? 1 : pow(1.01, 10)), 1e-9);
        assert_near((double)g.b.value[0], positive ? 5 : 0, 1e-6);
        assert_true(g.packed.data[0] == g.E.value[0] && g.packed.bias[0] == -g.b.value[0]);
        for (int64_t d = 0; d < n; d++)
            g.E.value[d] *= positive ? 1e5f : 1e9f; /* at the bound: left as it is */
        g.b.value[0] = -100;
        float b = g.b.value[0], e = g.E.value[0];
        for (int64_t i = 0; i < ROWS * k; i++)
            g.Z.index[i] = g.Z.index[i] == 0 ? 1 : g.Z.index[i];
        dl_gradient_step(&g, &rule);
        assert_true(g.b.value[0] == b && g.E.value[0] == e);
        dl_gradient_free(&g);
    }
}

/* ---- Whole trainings ---- */

static dltf_train_options learned(int64_t atoms, int64_t entries) {
    dltf_train_options options = dltf_train_options_default();
    options.m = atoms;
    options.k = entries;
    options.encoder = DLTF_ENCODER_LEARNED;
    options.threads = 2;
    return options;
}

static double error_of(const dltf_model *model, dltf_matrix X, bool refit) {
    dltf_encode_options options = dltf_encode_options_default();
    dltf_codes *codes = NULL;
    double error = NAN;
    options.refit = refit;
    assert_int_equal(dltf_encode(model, X, &options, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_reconstruction_error(model, X, codes, &error), DLTF_OK);
    dltf_codes_free(codes);
    return error;
}

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
        assert_int_equal(dltf_learner_new(X, &options, fresh ? NULL : first, &learner), DLTF_OK);
        run(learner);
        int64_t count = 0;
        double error = dltf_learner_history(learner, &count)->relative_error,
               known = error_of(first, X, false);
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
            dl_split split = dl_split_rows(N, 0.1, most, 7);
            int64_t held_out = 0, training = 0, previous = -1;
            assert_true(split.held_out <= most && split.held_out <= N / 10);
            assert_true(N < 10 || split.held_out > 0);
            for (int64_t row = 0; row < N; row++) {
                bool held = held_out < split.held_out && dl_split_held_out(&split, held_out) == row;
                bool trains = training < N - split.held_out && dl_split_training(&split, training) == row;
                assert_true(held != trains);
                held_out += held;
                training += trains;
            }
            assert_true(held_out == split.held_out && training == N - held_out);
            for (int64_t i = 0; i < held_out; i++) {
                assert_true(dl_split_held_out(&split, i) / split.group > previous);
                previous = i;
            }
        }
    dl_split none = {0}, first = dl_split_rows(1000, 0.1, 100, 1), second = dl_split_rows(1000, 0.1, 100, 2);
    int64_t same = 0;
    for (int64_t i = 0; i < 100; i++) {
        assert_int_equal(dl_split_training(&none, i), i);
        same += dl_split_held_out(&first, i) == dl_split_held_out(&second, i);
    }
    assert_true(same < 30);
}

/* The error after refit of the samples that a learner with these options holds out. */
static double held_out_error(const dltf_model *model, const float *X, int64_t rows, int64_t cols) {
    dl_split split = dl_split_rows(rows, 0.1, 2000, 0);
    float *held_out = new_f32(split.held_out * cols);
    for (int64_t i = 0; i < split.held_out; i++)
        memcpy(held_out + i * cols, X + dl_split_held_out(&split, i) * cols, (size_t)cols * sizeof *X);
    double error = error_of(model, dltf_matrix_f32(held_out, split.held_out, cols), true);
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
        const char *choice = dltf_learner_choice(learner);
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
    dltf_learner_history(learner, &count);
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
    const dltf_iteration *r = dltf_learner_history(learner, &count);
    double last = r[count - 1].raw_error, smallest = last;
    for (int64_t i = 0; i < count; i++)
        smallest = r[i].raw_error < smallest ? r[i].raw_error : smallest;
    print_message("%lld rounds, error %.4f, smallest %.4f\n", (long long)count, last, smallest);
    assert_true(last <=
                1.02 * smallest + 1e-6); /* not every round that the history measures is a candidate */
}

/* Few samples: the held-out error stops falling, training stops early, and the model is the best one seen. */
static void stops_early(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(24, 48, 4, 120, 0.3);
    for (int positive = 0; positive < 2; positive++) {
        dltf_train_options options = learned(200, 8);
        options.epochs = 2000;
        options.select = positive ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
        dltf_learner *learner = new_learner(dltf_synthetic_samples(problem, false), &options);
        dltf_outcome early =
            run(learner); /* atoms that join late may prevent that the error grows by a tenth */
        assert_true(early == DLTF_ERROR_GREW || early == DLTF_CONVERGED);
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
        const dltf_iteration *r = dltf_learner_history(learner, &count);
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
    options.epochs = 2000;
    dltf_learner *learner = new_learner(dltf_matrix_f32(X, COPIES, COLS), &options);
    assert_int_equal(run(learner), DLTF_CONVERGED);
    assert_ends_at_best(learner);
    dltf_learner_free(learner);
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
    assert_fails(dltf_learner_new(dltf_matrix_f32(X, 300, 4), &options, NULL, &learner), DLTF_ARGUMENT,
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

TESTS_MAIN(cmocka_unit_test(gradients), cmocka_unit_test(refitted), cmocka_unit_test(fine_tuning),
           cmocka_unit_test(split_rows), cmocka_unit_test(keeps_the_better), cmocka_unit_test(limited_time),
           cmocka_unit_test(steps_by_loops), cmocka_unit_test(unused_atoms),
           cmocka_unit_test(unused_share_of_held_out_samples), cmocka_unit_test(same_bytes_for_any_threads),
           cmocka_unit_test(more_atoms_are_better), cmocka_unit_test(signs_of_unused_atoms),
           cmocka_unit_test(positive_is_as_good), cmocka_unit_test(warm_start), cmocka_unit_test(stops_early),
           cmocka_unit_test(settles), cmocka_unit_test(odd_shapes), cmocka_unit_test(very_many_atoms),
           cmocka_unit_test(out_of_memory))
