/* Learning from a stream: the same bytes for any division into pieces, any interruption and any number of
 * threads; as good as training on the same samples at once; wrong samples, options and checkpoints. */
#include "dltf.h"

#include "io/formats/safetensors.h"
#include "learning/online/online.h"
#include "program/program.h"

#include "test_learning.h"
#include "test_path.h"

#include <stdio.h>
#include <unistd.h>

/* More than two buffers. */
enum { N = 19000, n = 6, m = 8, k = 2 };

static float X[N * n];

/* Sums of two of eight directions, shifted. */
static dltf_matrix rows(int64_t first, int64_t count) {
    if (X[0] == 0) {
        double *W = new_dictionary(m, n);
        for (int64_t i = 0; i < N; i++)
            for (int64_t e = 0; e < k; e++) {
                int64_t j = below(m);
                double z = normal();
                for (int64_t d = 0; d < n; d++)
                    X[i * n + d] += (float)(z * W[j * n + d] + 0.05 * normal() + 0.3);
            }
        free(W);
    }
    return dltf_matrix_f32(X + first * n, count, n);
}

static dltf_train_options plain(void) {
    dltf_train_options options = dltf_train_options_default();
    options.m = m;
    options.k = k;
    options.threads = 1;
    return options;
}

static dltf_online *new_online(const dltf_train_options *options) {
    dltf_online *online = NULL;
    if (dltf_online_new(n, NULL, options, &online) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return online;
}

static void add(dltf_online *online, int64_t first, int64_t count) {
    if (dltf_online_add(online, rows(first, count)) != DLTF_OK)
        fail_msg("%s", dltf_message());
}

static dltf_model *model_of(const dltf_online *online) {
    dltf_model *model = NULL;
    if (dltf_online_model(online, &model) != DLTF_OK)
        fail_msg("%s", dltf_message());
    assert_sound_model(model);
    return model;
}

/* The bytes of model and state. */
static void assert_same(const dltf_online *a, const dltf_online *b) {
    dltf_model *left = model_of(a), *right = model_of(b);
    dltf_model_view x = dltf_model_get(left), y = dltf_model_get(right);
    assert_same_dictionary(left, right);
    assert_memory_equal(x.encoder, y.encoder, (size_t)(x.m * x.n) * sizeof(float));
    assert_memory_equal(x.bias, y.bias, (size_t)x.m * sizeof(float));
    assert_true((x.mean != NULL) == (y.mean != NULL));
    if (x.mean)
        assert_memory_equal(x.mean, y.mean, (size_t)x.n * sizeof(float));
    assert_true((x.offset != NULL) == (y.offset != NULL));
    if (x.offset)
        assert_memory_equal(x.offset, y.offset, (size_t)x.n * sizeof(float));
    for (int i = 0; dltf_model_note_name(left, i); i++) {
        const char *name = dltf_model_note_name(left, i);
        assert_string_equal(dltf_model_note(left, name), dltf_model_note(right, name));
    }
    dl_bundle p = {0}, q = {0};
    assert_int_equal(dl_online_to_bundle(a, &p), DLTF_OK);
    assert_int_equal(dl_online_to_bundle(b, &q), DLTF_OK);
    assert_int_equal(p.count, q.count);
    for (int i = 0; i < p.count; i++) {
        assert_int_equal(dl_tensor_bytes(&p.tensors[i]), dl_tensor_bytes(&q.tensors[i]));
        assert_memory_equal(p.tensors[i].data, q.tensors[i].data, (size_t)dl_tensor_bytes(&p.tensors[i]));
    }
    dl_bundle_free(&p);
    dl_bundle_free(&q);
    dltf_model_free(left);
    dltf_model_free(right);
}

/* ---- the same bytes ---- */

static dltf_online *whole(const dltf_train_options *options) {
    dltf_online *online = new_online(options);
    add(online, 0, N);
    return online;
}

static void any_pieces_and_threads(void **state) {
    (void)state;
    static const int64_t pieces[] = {1, 97, 5000};
    dltf_train_options options = plain();
    dltf_online *one = whole(&options);
    for (int p = 0; p < 3; p++) {
        options.threads = p + 1;
        dltf_online *many = new_online(&options);
        for (int64_t first = 0; first < N; first += pieces[p])
            add(many, first, first + pieces[p] < N ? pieces[p] : N - first);
        assert_same(one, many);
        dltf_online_free(many);
    }
    dltf_online_free(one);
}

/* Saved in the first buffer, at its end, in the second, in the last; asked for models in between. */
static void check_every_stop(const dltf_train_options *options, const dltf_model *start) {
    static const int64_t stops[] = {0, 5000, 8690, 12000};
    dltf_online *one = NULL;
    assert_int_equal(dltf_online_new(n, start, options, &one), DLTF_OK);
    add(one, 0, N);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        dltf_online *first = NULL, *second = NULL;
        assert_int_equal(dltf_online_new(n, start, options, &first), DLTF_OK);
        if (stops[i] > 0)
            add(first, 0, stops[i]);
        if (stops[i] > 1)
            dltf_model_free(model_of(first));
        assert_int_equal(dltf_online_save(first, path), DLTF_OK);
        if (dltf_online_resume(path, 2, &second) != DLTF_OK)
            fail_msg("%s", dltf_message());
        if (stops[i] > 1)
            assert_same(first, second);
        if (stops[i] < N)
            add(second, stops[i], N - stops[i]);
        assert_same(one, second);
        dltf_online_free(first);
        dltf_online_free(second);
    }
    dltf_online_free(one);
}

static void saved_anywhere(void **state) {
    (void)state;
    dltf_train_options options = plain();
    check_every_stop(&options, NULL);
    options.unit_norm = true;
    check_every_stop(&options, NULL);
    options.center = DLTF_YES;
    options.select = DLTF_SELECT_POSITIVE;
    options.validation = 0.3;
    options.seed = 7;
    check_every_stop(&options, NULL);
}

/* The first buffer decides, as it would as a data set. */
static void decision_of_the_first_buffer(void **state) {
    (void)state;
    for (int unit_norm = 0; unit_norm < 2; unit_norm++) {
        dltf_train_options options = plain();
        options.unit_norm = unit_norm;
        dltf_online *online = new_online(&options);
        add(online, 0, N);
        dltf_model *model = model_of(online);
        dltf_model_view view = dltf_model_get(model);
        assert_true((view.mean != NULL) == !unit_norm && (view.offset != NULL) == unit_norm);
        /* Its samples, without those held out, as their own data set. */
        double *first = new_f64(online->room * n);
        int64_t count = 0;
        for (int64_t i = 0; count < online->room; i++)
            if (dl_holdout_row(&online->holdout, i / online->holdout.group) != i)
                for (int64_t d = 0; d < n; d++)
                    first[count * n + d] = (double)X[i * n + d], count += d == n - 1;
        dltf_learner *learner = NULL;
        options.encoder = DLTF_ENCODER_LEARNED;
        assert_int_equal(dltf_learner_new(dltf_matrix_f64(first, count, n), NULL, &options, &learner),
                         DLTF_OK);
        assert_memory_equal(unit_norm ? view.offset : view.mean, unit_norm ? learner->offset : learner->mean,
                            n * sizeof(float));
        assert_string_equal(dltf_model_note(model, "center.choice"), dl_learner_center_choice(learner));
        assert_memory_equal(dl_learner_center_choice(learner), "centered: the mean held ", 24);
        options.center = DLTF_NO;
        dltf_online *plainly = new_online(&options);
        add(plainly, 0, N);
        dltf_model *uncentered = model_of(plainly);
        assert_true(!dltf_model_get(uncentered).mean && !dltf_model_get(uncentered).offset);
        assert_null(dltf_model_note(uncentered, "center.choice"));
        dltf_model_free(model);
        dltf_model_free(uncentered);
        dltf_learner_free(learner);
        dltf_online_free(online);
        dltf_online_free(plainly);
        free(first);
    }
}

static void started_from_a_model(void **state) {
    (void)state;
    dltf_train_options options = plain();
    dltf_online *online = new_online(&options);
    add(online, 0, 3000);
    dltf_model *start = model_of(online), *tied = NULL;
    dltf_model_view parts = dltf_model_get(start);
    parts.encoder = parts.bias = NULL;
    assert_int_equal(dltf_model_new(&parts, &tied), DLTF_OK);
    options.m = options.k = 0;
    check_every_stop(&options, start);
    check_every_stop(&options, tied);
    dltf_online *wide = NULL;
    assert_fails(dltf_online_new(n + 1, start, &options, &wide), DLTF_ARGUMENT, "training needs");
    dltf_model_free(start);
    dltf_model_free(tied);
    dltf_online_free(online);
}

/* ---- what is learned ---- */

static double refit_error(const dltf_model *model, dltf_matrix samples) {
    dltf_codes *codes = NULL, *refitted = NULL;
    double error = 0;
    assert_int_equal(dltf_encode(model, samples, NULL, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_refit(model, samples, codes, 1, &refitted), DLTF_OK);
    assert_int_equal(dltf_reconstruction_error(model, samples, refitted, &error), DLTF_OK);
    dltf_codes_free(codes);
    dltf_codes_free(refitted);
    return error;
}

static void as_good_as_training_at_once(void **state) {
    (void)state;
    int64_t samples = sized(60000, 30000);
    dltf_synthetic *problem = new_synthetic(16, 24, 2, samples, 0.05);
    dltf_matrix train = dltf_synthetic_samples(problem, false), test = dltf_synthetic_samples(problem, true);
    dltf_train_options options = plain();
    options.m = 24;
    options.encoder = DLTF_ENCODER_LEARNED;
    options.epochs = 1;
    dltf_model *at_once = NULL;
    assert_int_equal(dltf_train(train, &options, NULL, NULL, &at_once), DLTF_OK);
    options.epochs = 0;
    dltf_online *online = NULL;
    assert_int_equal(dltf_online_new(16, NULL, &options, &online), DLTF_OK);
    dltf_matrix early = train;
    early.rows = 2000;
    assert_int_equal(dltf_online_add(online, early), DLTF_OK);
    dltf_model *first = model_of(online);
    early.data = (const float *)train.data + 2000 * 16;
    early.rows = samples - 2000;
    assert_int_equal(dltf_online_add(online, early), DLTF_OK);
    dltf_model *last = model_of(online);
    double error = refit_error(last, test);
    assert_true(error < 1.1 * refit_error(at_once, test));
    assert_true(error < 0.9 * refit_error(first, test));
    dltf_quality quality;
    assert_int_equal(dltf_online_quality(online, last, &quality), DLTF_OK);
    assert_true(quality.held_out && quality.samples == (samples >= 40000 ? 2000 : samples / 20));
    assert_near(quality.refit_error, error, 0.15 * error);
    assert_true(quality.raw_error >= quality.refit_error);
    dltf_online_view now = dltf_online_get(online);
    assert_int_equal(now.samples, samples);
    assert_int_equal(now.held_out, samples / 20);
    assert_near(now.error, quality.raw_error, 0.5 * quality.raw_error);
    dltf_model_free(at_once);
    dltf_model_free(first);
    dltf_model_free(last);
    dltf_online_free(online);
    dltf_synthetic_free(problem);
}

/* Few samples: fewer than atoms, none but the held-out one. */
static void short_streams(void **state) {
    (void)state;
    dltf_train_options options = plain();
    dltf_model *model = NULL;
    for (int64_t count = 2; count < 30; count++) {
        dltf_online *online = new_online(&options);
        add(online, 0, count);
        model = model_of(online);
        dltf_model_free(model);
        dltf_online_free(online);
    }
    dltf_online *none = new_online(&options);
    assert_fails(dltf_online_model(none, &model), DLTF_DATA, "no samples");
    assert_true(isnan(dltf_online_get(none).error));
    assert_int_equal(dltf_online_get(none).samples, 0);
    dltf_online_free(none);
}

/* ---- wrong requests ---- */

static void wrong_samples(void **state) {
    (void)state;
    dltf_train_options options = plain();
    dltf_online *online = new_online(&options), *other = new_online(&options);
    add(online, 0, 9000);
    add(other, 0, 9003);
    rows(0, N);
    float keep = X[9003 * n + 2];
    X[9003 * n + 2] = NAN;
    assert_fails(dltf_online_add(online, rows(9000, 10)), DLTF_DATA, "row 9003, column 2 is NaN");
    X[9003 * n + 2] = keep;
    assert_same(online, other); /* the rows before it have been added */
    assert_fails(dltf_online_add(online, dltf_matrix_f32(X, 3, n + 1)), DLTF_ARGUMENT, "7 columns");
    assert_fails(dltf_online_add(online, dltf_matrix_f32(NULL, 3, n)), DLTF_ARGUMENT, "no data");
    assert_same(online, other);
    dltf_online_free(online);
    dltf_online_free(other);
}

/* Samples that are far larger than the first ones must not end in a model with NaN. */
static void diverging_samples(void **state) {
    (void)state;
    dltf_train_options options = plain();
    dltf_online *online = new_online(&options);
    double *huge = new_f64(9000 * n);
    for (int64_t i = 0; i < 9000 * n; i++)
        huge[i] = 1e38;
    add(online, 0, 9000);
    assert_fails(dltf_online_add(online, dltf_matrix_f64(huge, 9000, n)), DLTF_NUMERIC, "diverged");
    assert_fails(dltf_online_save(online, path), DLTF_NUMERIC, "diverged");
    free(huge);
    dltf_online_free(online);
}

static void wrong_options(void **state) {
    (void)state;
    dltf_train_options options = plain();
    dltf_online *online = NULL;
    options.epochs = 2;
    assert_fails(dltf_online_new(n, NULL, &options, &online), DLTF_ARGUMENT, "epochs");
    options = plain();
    options.encoder = DLTF_ENCODER_TIED;
    assert_fails(dltf_online_new(n, NULL, &options, &online), DLTF_ARGUMENT, "encoder");
    options = plain();
    options.method = DLTF_METHOD_KSVD;
    assert_fails(dltf_online_new(n, NULL, &options, &online), DLTF_ARGUMENT, "method");
    options = plain();
    options.steps = 3;
    assert_fails(dltf_online_new(n, NULL, &options, &online), DLTF_ARGUMENT, "steps");
    options = plain();
    options.k = m + 1;
    assert_fails(dltf_online_new(n, NULL, &options, &online), DLTF_ARGUMENT, "k: ");
    options = plain();
    options.memory = 1000000;
    assert_fails(dltf_online_new(n, NULL, &options, &online), DLTF_MEMORY, "memory: m = 8 atoms");
    options = plain();
    assert_fails(dltf_online_new(0, NULL, &options, &online), DLTF_ARGUMENT, "0 columns");
    assert_null(online);
}

static void wrong_checkpoints(void **state) {
    (void)state;
    dltf_train_options options = plain();
    dltf_online *online = new_online(&options), *read = NULL;
    add(online, 0, 9000);
    dl_bundle bundle = {0};
    assert_int_equal(dltf_online_save(online, path), DLTF_OK);
    assert_int_equal(dl_safetensors_load(path, &bundle), DLTF_OK);
    for (int i = 0; i < bundle.count; i++) { /* without each of its tensors */
        char *name = bundle.tensors[i].name, keep = *name;
        *name = '?';
        assert_fails(dl_online_from_bundle(&bundle, 1, &read), DLTF_FORMAT, "tensor");
        *name = keep;
    }
    int64_t *counts = dl_bundle_find(&bundle, "counts")->data;
    for (int i = 0; i < 7; i++) {
        int64_t keep = counts[i];
        if (i == 1) /* the checksum is any number */
            continue;
        counts[i] = -1;
        assert_fails(dl_online_from_bundle(&bundle, 1, &read), DLTF_FORMAT, "out-of-range count");
        counts[i] = keep;
    }
    float *W = dl_bundle_find(&bundle, "average.W")->data;
    W[3] = INFINITY;
    assert_fails(dl_online_from_bundle(&bundle, 1, &read), DLTF_FORMAT, "non-finite");
    assert_null(read);
    dl_bundle_free(&bundle);
    dltf_model *model = model_of(online);
    assert_int_equal(dltf_model_save(model, path), DLTF_OK);
    assert_fails(dltf_online_resume(path, 1, &read), DLTF_FORMAT, "is a finished model");
    dltf_model_free(model);
    dltf_online_free(online);
}

static dltf_status use(void) {
    dltf_train_options options = plain();
    dltf_online *online = NULL, *second = NULL;
    dltf_model *model = NULL;
    dltf_status status = DLTF_OK;
    options.center = DLTF_YES;
    DL_TRY(dltf_online_new(n, NULL, &options, &online));
    DL_TRY(dltf_online_add(online, rows(0, 60)));
    DL_TRY(dltf_online_model(online, &model));
    DL_TRY(dltf_online_save(online, path));
    DL_TRY(dltf_online_resume(path, 1, &second));
done:
    dltf_model_free(model);
    dltf_online_free(online);
    dltf_online_free(second);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    rows(0, N);
    assert_survives_lack_of_memory(use(), 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_pieces_and_threads),
        cmocka_unit_test(decision_of_the_first_buffer),
        cmocka_unit_test(saved_anywhere),
        cmocka_unit_test(started_from_a_model),
        cmocka_unit_test(as_good_as_training_at_once),
        cmocka_unit_test(short_streams),
        cmocka_unit_test(wrong_samples),
        cmocka_unit_test(diverging_samples),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(wrong_checkpoints),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
