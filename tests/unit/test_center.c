/* The mean that training subtracts: when, which one, the same for any number of threads and after a
 * checkpoint; models with an offset, coded by every coder; starts from models that subtract another mean. */
#include "data/model.h"

#include "program/program.h"
#include "test_path.h"
#include "test_small_learner.h"

enum { N = 400, n = 12, m = 16, k = 3 };

static float X[N * n];

/* Sums of atoms with signs, so that their mean is about 0, plus `mean` times a fixed direction. */
static dltf_matrix samples(double mean) {
    static double *W = NULL;
    if (!W)
        W = new_dictionary(m, n);
    uint64_t draws = test_draws;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t d = 0; d < n; d++)
            X[i * n + d] = (float)(mean * (1 + (double)(d % 3)) / 6 + 0.02 * normal());
        for (int64_t e = 0; e < k; e++) {
            const double *w = W + below(m) * n;
            double z = normal();
            for (int64_t d = 0; d < n; d++)
                X[i * n + d] += (float)(z * w[d]);
        }
    }
    test_draws = draws;
    return dltf_matrix_f32(X, N, n);
}

static dltf_train_options options_for(dltf_encoder_kind encoder) {
    dltf_train_options options = dltf_train_options_default();
    options.m = m;
    options.k = k;
    options.encoder = encoder;
    options.threads = 1;
    if (encoder == DLTF_ENCODER_LEARNED || encoder == DLTF_ENCODER_BEST)
        options.epochs = 2;
    if (encoder != DLTF_ENCODER_LEARNED)
        options.steps = 3;
    return options;
}

static void assert_same_model(const dltf_model *a, const dltf_model *b) {
    dltf_model_view x = dltf_model_get(a), y = dltf_model_get(b);
    assert_same_dictionary(a, b);
    const float *left[] = {x.encoder, x.bias, x.mean, x.offset};
    const float *right[] = {y.encoder, y.bias, y.mean, y.offset};
    const int64_t sizes[] = {m * n, m, n, n};
    for (int i = 0; i < 4; i++) {
        assert_true((left[i] != NULL) == (right[i] != NULL));
        if (left[i])
            assert_memory_equal(left[i], right[i], (size_t)sizes[i] * sizeof(float));
    }
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* The mean of the rows after the steps before it, in plain double. */
static void expected_mean(bool remove_mean, bool unit_norm, double *mean) {
    memset(mean, 0, n * sizeof *mean);
    for (int64_t i = 0; i < N; i++) {
        double x[n], own = 0;
        widen(X + i * n, n, x);
        for (int64_t d = 0; d < n && remove_mean; d++)
            own += x[d] / n;
        for (int64_t d = 0; d < n; d++)
            x[d] -= own;
        double norm = unit_norm ? sqrt(dot_f64(x, x, n)) : 1;
        for (int64_t d = 0; d < n; d++)
            mean[d] += x[d] / norm / N;
    }
}

/* ---- When ---- */

static void learned_encoders_are_centered(void **state) {
    (void)state;
    dltf_matrix data = samples(3);
    const dltf_encoder_kind kinds[] = {DLTF_ENCODER_LEARNED, DLTF_ENCODER_BEST, DLTF_ENCODER_AUTO};
    double mean[n];
    expected_mean(false, false, mean);
    for (int i = 0; i < 3; i++) {
        dltf_train_options options = options_for(kinds[i]);
        dltf_model *automatic = train(data, &options);
        dltf_model_view view = dltf_model_get(automatic);
        assert_true(view.mean && !view.offset);
        for (int64_t d = 0; d < n; d++)
            assert_near((double)view.mean[d], mean[d], 1e-6);
        assert_true(begins(dltf_model_note(automatic, "center.choice"), "centered: the mean held "));
        assert_string_equal(dltf_model_note(automatic, "option.center"), "auto");
        options.center = DLTF_YES;
        dltf_model *centered = train(data, &options);
        assert_same_model(automatic, centered);
        assert_null(dltf_model_note(centered, "center.choice"));
        dltf_model_free(automatic);
        dltf_model_free(centered);
    }
}

static void small_means_stay(void **state) {
    (void)state;
    dltf_matrix data = samples(0);
    dltf_train_options options = options_for(DLTF_ENCODER_LEARNED);
    dltf_model *automatic = train(data, &options);
    assert_true(begins(dltf_model_note(automatic, "center.choice"), "not centered: the mean holds "));
    options.center = DLTF_NO;
    dltf_model *uncentered = train(data, &options);
    assert_true(!dltf_model_get(automatic).mean && !dltf_model_get(automatic).offset);
    assert_same_model(automatic, uncentered);
    dltf_model_free(automatic);
    dltf_model_free(uncentered);
}

/* Rows (a, +-b): the share of the mean is a^2 / (a^2 + b^2). */
static void a_tenth_of_the_energy(void **state) {
    (void)state;
    static const struct {
        double share;
        bool center;
        const char *choice;
    } cases[] = {{0.097, false, "not centered: the mean holds 10% of the energy"},
                 {0.103, true, "centered: the mean held 10% of the energy"},
                 {0.62, true, "centered: the mean held 62% of the energy"}};
    for (int i = 0; i < 3; i++)
        for (int unit_norm = 0; unit_norm < 2; unit_norm++) {
            double rows[100][2];
            for (int64_t r = 0; r < 100; r++) {
                rows[r][0] = sqrt(cases[i].share);
                rows[r][1] = (r % 2 ? -1 : 1) * sqrt(1 - cases[i].share);
            }
            dltf_train_options options = options_for(DLTF_ENCODER_LEARNED);
            options.m = 2;
            options.k = 1;
            options.unit_norm = unit_norm;
            dltf_learner *learner = new_learner(dltf_matrix_f64(&rows[0][0], 100, 2), &options);
            assert_true((learner->mean != NULL) == (cases[i].center && !unit_norm));
            assert_true((learner->offset != NULL) == (cases[i].center && unit_norm));
            assert_string_equal(dl_learner_center_choice(learner), cases[i].choice);
            dltf_learner_free(learner);
        }
}

/* The methods of the paper, and encoders made for a finished dictionary. */
static void other_methods_are_not_centered(void **state) {
    (void)state;
    dltf_matrix data = samples(3);
    for (int variant = 0; variant < 6; variant++) {
        dltf_train_options options =
            options_for(variant < 4 ? (dltf_encoder_kind)(DLTF_ENCODER_TIED + variant) : DLTF_ENCODER_TIED);
        if (variant >= 4) {
            options.method = variant == 4 ? DLTF_METHOD_KSVD : DLTF_METHOD_OMP;
            options.steps = variant == 4 ? dltf_train_options_default().steps : 3;
        }
        options.unit_norm = variant % 2;
        dltf_learner *learner = new_learner(data, &options);
        assert_true(!learner->mean && !learner->offset);
        assert_string_equal(dl_learner_center_choice(learner), "");
        dltf_learner_free(learner);
    }
    assert_string_equal(dl_learner_center_choice(NULL), "");
}

/* Nothing would remain. */
static void equal_samples_stay(void **state) {
    (void)state;
    for (int unit_norm = 0; unit_norm < 2; unit_norm++) {
        double rows[50][3];
        for (int64_t i = 0; i < 150; i++)
            rows[i / 3][i % 3] = 0.1 * (double)(1 + i % 3);
        dltf_train_options options = options_for(DLTF_ENCODER_LEARNED);
        options.unit_norm = unit_norm;
        dltf_learner *learner = new_learner(dltf_matrix_f64(&rows[0][0], 50, 3), &options);
        assert_true(!learner->mean && !learner->offset);
        assert_string_equal(dl_learner_center_choice(learner),
                            "not centered: the samples equal their mean up to rounding");
        run(learner);
        dltf_learner_free(learner);
    }
}

static void without_memory(void **state) {
    (void)state;
    dltf_matrix data = samples(3);
    dltf_train_options options = options_for(DLTF_ENCODER_LEARNED);
    for (int unit_norm = 0; unit_norm < 2; unit_norm++) {
        dltf_learner *learner = NULL;
        options.unit_norm = unit_norm;
        assert_survives_lack_of_memory(dltf_learner_new(data, NULL, &options, &learner), 10);
        dltf_learner_free(learner);
    }
}

/* ---- Offsets ---- */

static void scaled_samples_are_centered(void **state) {
    (void)state;
    dltf_matrix data = samples(3);
    for (int remove_mean = 0; remove_mean < 2; remove_mean++) {
        dltf_train_options options = options_for(DLTF_ENCODER_LEARNED);
        options.unit_norm = true;
        options.remove_mean = remove_mean;
        dltf_learner *learner = new_learner(data, &options);
        run(learner);
        dltf_model *model = model_of(learner);
        dltf_model_view view = dltf_model_get(model);
        assert_true(!view.mean && view.offset);
        double mean[n];
        expected_mean(remove_mean, true, mean);
        for (int64_t d = 0; d < n; d++)
            assert_near((double)view.offset[d], mean[d], 1e-6);
        dltf_quality quality;
        assert_int_equal(dltf_learner_quality(learner, NULL, &quality), DLTF_OK);
        assert_true(quality.mean_share < 0.1);
        for (options.threads = 2; options.threads <= 3; options.threads++) {
            dltf_model *again = train(data, &options);
            assert_same_model(model, again);
            dltf_model_free(again);
        }
        dltf_model_free(model);
        dltf_learner_free(learner);
        options.threads = 1;
        options.center = DLTF_YES; /* before the norm, as ever */
        model = train(data, &options);
        assert_true(dltf_model_get(model).mean && !dltf_model_get(model).offset);
        dltf_model_free(model);
    }
}

static void resumed(void **state) {
    (void)state;
    dltf_matrix data = samples(3);
    for (int unit_norm = 0; unit_norm < 2; unit_norm++) {
        dltf_train_options options = options_for(DLTF_ENCODER_LEARNED);
        options.unit_norm = unit_norm;
        dltf_model *whole = train(data, &options);
        dltf_learner *first = new_learner(data, &options), *second = NULL;
        test_brake early = {1};
        dltf_outcome outcome = DLTF_CONVERGED;
        assert_int_equal(dltf_learner_run(first, brake, &early, &outcome), DLTF_OK);
        assert_int_equal(dltf_learner_save(first, path), DLTF_OK);
        assert_int_equal(dltf_learner_resume(path, data, 2, &second), DLTF_OK);
        assert_string_equal(dl_learner_center_choice(first), dl_learner_center_choice(second));
        run(second);
        dltf_model *model = model_of(second);
        assert_same_model(whole, model);
        dltf_model_free(whole);
        dltf_model_free(model);
        dltf_learner_free(first);
        dltf_learner_free(second);
    }
}

/* Older checkpoints have a flag: false or true. */
static void resumed_from_a_flag(void **state) {
    (void)state;
    dltf_matrix data = samples(3);
    dltf_train_options options = options_for(DLTF_ENCODER_LEARNED);
    for (int center = 0; center < 2; center++) {
        dl_bundle bundle = {0};
        options.center = center ? DLTF_YES : DLTF_NO;
        dltf_learner *first = new_learner(data, &options), *second = NULL;
        assert_int_equal(dl_checkpoint_make(first, &bundle), DLTF_OK);
        assert_int_equal(dl_notes_set(&bundle.notes, "option.center", center ? "true" : "false"), DLTF_OK);
        assert_int_equal(dl_checkpoint_restore(&bundle, data, 1, NULL, &second), DLTF_OK);
        assert_int_equal(dltf_learner_options(second).center, options.center);
        assert_true((second->mean != NULL) == center);
        dl_bundle_free(&bundle);
        dltf_learner_free(first);
        dltf_learner_free(second);
    }
}

/* Codes of a model with an offset are those that a model without preprocessing has for the preprocessed
 * samples; they decode to the same, plus the offset. */
static void every_coder(void **state) {
    (void)state;
    samples(3);
    float W[m * n], E[m * n], b[m], offset[n], P[N * n], left[N * n], right[N * n];
    fill_normal(W, m * n);
    fill_normal(E, m * n);
    fill_normal(b, m);
    fill_normal(offset, n);
    for (int64_t i = 0; i < N; i++) {
        double x[n];
        widen(X + i * n, n, x);
        double norm = sqrt(dot_f64(x, x, n));
        for (int64_t d = 0; d < n; d++)
            P[i * n + d] = (float)(x[d] / norm - (double)offset[d]);
    }
    for (int untied = 0; untied < 2; untied++) {
        dltf_model *with = NULL, *without = NULL;
        dltf_model_view parts = {.m = m, .n = n, .k = k, .dictionary = W};
        parts.encoder = untied ? E : NULL;
        parts.bias = untied ? b : NULL;
        assert_int_equal(dltf_model_new(&parts, &without), DLTF_OK);
        parts.unit_norm = true;
        parts.offset = offset;
        assert_int_equal(dltf_model_new(&parts, &with), DLTF_OK);
        for (int coder = DLTF_CODER_THRESHOLD; coder <= DLTF_CODER_SHORTLIST; coder++) {
            dltf_encode_options encoding = dltf_encode_options_default();
            dltf_codes *a = NULL, *c = NULL;
            encoding.coder = (dltf_coder)coder;
            encoding.refit = coder == DLTF_CODER_THRESHOLD && untied;
            assert_int_equal(dltf_encode(with, dltf_matrix_f32(X, N, n), &encoding, NULL, NULL, &a), DLTF_OK);
            assert_int_equal(dltf_encode(without, dltf_matrix_f32(P, N, n), &encoding, NULL, NULL, &c),
                             DLTF_OK);
            dltf_csr x = dltf_codes_csr(a), y = dltf_codes_csr(c);
            assert_memory_equal(x.indptr, y.indptr, (N + 1) * sizeof *x.indptr);
            assert_memory_equal(x.indices, y.indices, (size_t)x.indptr[N] * sizeof *x.indices);
            for (int64_t e = 0; e < x.indptr[N]; e++)
                assert_near((double)x.values[e], (double)y.values[e],
                            1e-4 * fabs((double)y.values[e]) + 1e-5);
            double errors[2];
            assert_int_equal(dltf_reconstruction_error(with, dltf_matrix_f32(X, N, n), a, &errors[0]),
                             DLTF_OK);
            assert_int_equal(dltf_reconstruction_error(without, dltf_matrix_f32(P, N, n), c, &errors[1]),
                             DLTF_OK);
            assert_near(errors[0], errors[1], 1e-5 * errors[1]);
            assert_int_equal(dltf_decode(with, a, left), DLTF_OK);
            assert_int_equal(dltf_decode(without, a, right), DLTF_OK);
            for (int64_t i = 0; i < N * n; i++)
                assert_near((double)left[i], (double)right[i] + (double)offset[i % n],
                            1e-5 * (1 + fabs((double)right[i])));
            dltf_codes_free(a);
            dltf_codes_free(c);
        }
        dltf_model_free(with);
        dltf_model_free(without);
    }
}

/* ---- Starts ---- */

/* The scores of a start are kept, whatever it and the training subtract. */
static void starts_keep_their_scores(void **state) {
    (void)state;
    float W[m * n], E[m * n], b[m], shift[n];
    fill_normal(W, m * n);
    fill_normal(E, m * n);
    fill_normal(b, m);
    fill_normal(shift, n);
    for (int variant = 0; variant < 16; variant++) {
        dltf_matrix data = samples(variant & 8 ? 3 : 0);
        dltf_model_view parts = {.m = m, .n = n, .k = k, .dictionary = W, .encoder = E};
        parts.unit_norm = variant & 1;
        parts.remove_mean = variant & 2;
        parts.bias = variant & 4 ? b : NULL;
        *(parts.unit_norm ? &parts.offset : &parts.mean) = variant & 4 ? shift : NULL;
        dltf_model *start = NULL;
        dltf_learner *learner = NULL;
        assert_int_equal(dltf_model_new(&parts, &start), DLTF_OK);
        dltf_train_options options = options_for(DLTF_ENCODER_LEARNED);
        options.unit_norm = parts.unit_norm;
        options.remove_mean = parts.remove_mean;
        assert_int_equal(dltf_learner_new(data, start, &options, &learner), DLTF_OK);
        dl_samples before = dl_model_samples(start, data);
        double row[n], e[n];
        float x[n], y[n];
        for (int64_t i = 0; i < 20; i++)
            for (int64_t j = 0; j < m; j++) {
                dl_samples_row(&before, i, row, x);
                widen(E + j * n, n, e);
                double old = dot_f64(e, row, n) - (parts.bias ? (double)b[j] : 0);
                dl_samples_row(&learner->samples, i, row, y);
                double now = dot_f64(learner->E + j * n, row, n) - learner->bias[j] / learner->samples.scale;
                assert_near(now, old, 1e-9 * (1 + fabs(old)));
            }
        dltf_learner_free(learner);
        dltf_model_free(start);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learned_encoders_are_centered),
        cmocka_unit_test(small_means_stay),
        cmocka_unit_test(a_tenth_of_the_energy),
        cmocka_unit_test(other_methods_are_not_centered),
        cmocka_unit_test(equal_samples_stay),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(scaled_samples_are_centered),
        cmocka_unit_test(resumed),
        cmocka_unit_test(resumed_from_a_flag),
        cmocka_unit_test(every_coder),
        cmocka_unit_test(starts_keep_their_scores),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
