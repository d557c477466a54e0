/* Checkpoints: a training stopped anywhere and resumed gives the same bytes; invalid checkpoints are
 * rejected. */
#include "dltf.h"

#include "io/safetensors.h"
#include "learning/learner.h"

#include "test_learning.h"
#include "test_path.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 90, n = 6, m = 8, k = 2 };

static float X[N * n];

static dltf_matrix samples(void) {
    if (X[0] == 0)
        fill_normal(X, N * n);
    return dltf_matrix_f32(X, N, n);
}

static dltf_train_options all_stages(void) {
    dltf_train_options options = dltf_train_options_default();
    options.m = m;
    options.k = k;
    options.encoder = DLTF_ENCODER_TIED;
    options.steps = 7;
    options.batch = 20;
    options.iterations = 6;
    options.admm = 4;
    options.tolerance = 0;
    options.threads = 1;
    return options;
}

static dltf_learner *new_learner(const dltf_train_options *options) {
    dltf_learner *learner = NULL;
    assert_int_equal(dltf_learner_new(samples(), options, NULL, &learner), DLTF_OK);
    return learner;
}

/* Runs `stop` iterations; 0: all of them. */
static dltf_outcome run(dltf_learner *learner, int64_t stop) {
    test_brake b = {.left = stop};
    dltf_outcome outcome;
    assert_int_equal(dltf_learner_run(learner, brake, &b, &outcome), DLTF_OK);
    return outcome;
}

static dltf_learner *resume(int64_t threads) {
    dltf_learner *learner = NULL;
    if (dltf_learner_resume(path, samples(), threads, &learner) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return learner;
}

static dltf_model *model_of(const dltf_learner *learner) {
    dltf_model *model = NULL;
    assert_int_equal(dltf_learner_model(learner, &model), DLTF_OK);
    assert_sound_model(model);
    return model;
}

static void assert_same_model(const dltf_learner *a, const dltf_learner *b) {
    dltf_model *left = model_of(a), *right = model_of(b);
    dltf_model_view x = dltf_model_get(left), y = dltf_model_get(right);
    assert_same_dictionary(left, right);
    assert_true((x.encoder != NULL) == (y.encoder != NULL) && (x.bias != NULL) == (y.bias != NULL));
    if (x.encoder)
        assert_memory_equal(x.encoder, y.encoder, (size_t)(x.m * x.n) * sizeof(float));
    if (x.bias)
        assert_memory_equal(x.bias, y.bias, (size_t)x.m * sizeof(float));
    for (int i = 0; dltf_model_note_name(left, i); i++) {
        const char *name = dltf_model_note_name(left, i);
        assert_string_equal(name, dltf_model_note_name(right, i));
        assert_string_equal(dltf_model_note(left, name), dltf_model_note(right, name));
    }
    dltf_model_free(left);
    dltf_model_free(right);
}

/* ---- the same bytes ---- */

/* Stops after each iteration in turn, including the last one of each stage. */
static void check_every_stop(const dltf_train_options *options) {
    dltf_learner *whole = new_learner(options);
    dltf_outcome outcome = run(whole, 0);
    int64_t total = 0, seen = dltf_learner_samples_seen(whole);
    dltf_learner_history(whole, &total);
    for (int64_t stop = 0; stop <= total; stop++) {
        dltf_learner *first = new_learner(options);
        if (stop > 0)
            run(first, stop);
        assert_int_equal(dltf_learner_save(first, path), DLTF_OK);
        dltf_learner *second = resume(1 + stop % 3);
        assert_same_history(first, second);
        assert_same_model(first, second); /* also before it continues */
        dltf_learner_free(first);
        assert_int_equal(run(second, 0), outcome);
        assert_int_equal(dltf_learner_samples_seen(second), seen);
        assert_same_history(whole, second);
        assert_same_model(whole, second);
        dltf_learner_free(second);
    }
    dltf_learner_free(whole);
}

static void stopped_anywhere(void **state) {
    (void)state;
    dltf_train_options options = all_stages();
    check_every_stop(&options);
    options.unit_norm = true;
    options.center = DLTF_YES;
    options.select = DLTF_SELECT_POSITIVE;
    options.seed = 77;
    options.theta = 0.1 + 0.2;
    check_every_stop(&options);
}

static dltf_train_options with_encoder(dltf_encoder_kind kind) {
    dltf_train_options options = all_stages(), defaults = dltf_train_options_default();
    options.encoder = kind;
    options.iterations = defaults.iterations;
    options.admm = defaults.admm;
    options.steps = 3;
    options.polish = 3;
    if (kind == DLTF_ENCODER_DISTILLED)
        options.finetune = 0;
    return options;
}

static void stopped_with_an_encoder(void **state) {
    (void)state;
    for (int kind = DLTF_ENCODER_TIGHT; kind <= DLTF_ENCODER_DISTILLED; kind++) {
        dltf_train_options options = with_encoder((dltf_encoder_kind)kind);
        check_every_stop(&options);
        options.steps = options.polish = 0;
        options.unit_norm = true;
        options.center = DLTF_YES;
        options.select = DLTF_SELECT_POSITIVE;
        check_every_stop(&options);
    }
}

static void stopped_in_gradient_descent(void **state) {
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        dltf_train_options options = dltf_train_options_default();
        options.m = m;
        options.k = k;
        options.encoder = DLTF_ENCODER_LEARNED;
        options.epochs = 20;
        options.threads = 1;
        options.select = positive ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
        options.center = positive ? DLTF_YES : DLTF_NO;
        check_every_stop(&options);
    }
}

/* More atoms join in every round. */
static void stopped_while_atoms_join(void **state) {
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        dltf_train_options options = dltf_train_options_default();
        options.m = 70;
        options.k = k;
        options.encoder = DLTF_ENCODER_LEARNED;
        options.epochs = 45;
        options.threads = 1;
        options.select = positive ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
        check_every_stop(&options);
    }
}

/* Saved at its very end, a training keeps its outcome, which is computed from state that a checkpoint of a
 * finished stage does not have. */
static void outcome_of_finished_training(void **state) {
    (void)state;
    const struct {
        double epochs, seconds;
        int64_t atoms, entries;
        dltf_outcome outcome;
    } cases[] = {{3, 0, m, k, DLTF_ITERATION_LIMIT},
                 {1000, 1e-9, m, k, DLTF_TIME_LIMIT},
                 {3000, 0, 2, 2, DLTF_CONVERGED}, /* a plane: nothing to overfit */
                 {1000, 0, 100, 3, DLTF_ERROR_GREW}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dltf_train_options options = dltf_train_options_default();
        options.m = cases[i].atoms;
        options.k = cases[i].entries;
        options.encoder = DLTF_ENCODER_LEARNED;
        options.epochs = cases[i].epochs;
        options.seconds = cases[i].seconds;
        options.threads = 1;
        dltf_learner *learner = new_learner(&options);
        assert_int_equal(run(learner, 0), cases[i].outcome);
        assert_int_equal(run(learner, 0), cases[i].outcome); /* there is nothing left to do */
        assert_int_equal(dltf_learner_save(learner, path), DLTF_OK);
        dltf_learner *resumed = resume(1);
        assert_int_equal(run(resumed, 0), cases[i].outcome);
        assert_int_equal(dltf_learner_samples_seen(resumed), dltf_learner_samples_seen(learner));
        dltf_learner_free(learner);
        dltf_learner_free(resumed);
    }
}

static void stopped_in_fine_tuning(void **state) {
    (void)state;
    dltf_train_options options = with_encoder(DLTF_ENCODER_DISTILLED);
    options.finetune = 7;
    check_every_stop(&options);
    options.finetune = 40; /* more steps than rounds */
    options.select = DLTF_SELECT_POSITIVE;
    check_every_stop(&options);
}

/* Through the choice between the candidates, whose reason must survive, too. */
static void stopped_before_the_choice(void **state) {
    (void)state;
    dltf_train_options options = with_encoder(DLTF_ENCODER_BEST);
    options.finetune = 4;
    options.epochs = 6;
    check_every_stop(&options);
    options.encoder = DLTF_ENCODER_AUTO;
    options.select = DLTF_SELECT_POSITIVE;
    check_every_stop(&options);
}

/* Every sample three times, so that there are duplicate atoms, which are replaced in both stages. */
static void stopped_among_replacements(void **state) {
    (void)state;
    float keep[N * n];
    samples();
    memcpy(keep, X, sizeof keep);
    for (int64_t i = N / 3 * n; i < N * n; i++)
        X[i] = X[i - N / 3 * n];
    dltf_train_options options = all_stages();
    options.m = 20;
    options.steps = options.iterations = 14;
    dltf_learner *learner = new_learner(&options);
    run(learner, 0);
    int64_t count = 0, replaced = 0;
    const dltf_iteration *r = dltf_learner_history(learner, &count);
    for (int64_t i = 0; i < count; i++)
        replaced += strcmp(r[i].stage, "minibatch") == 0 ? r[i].atoms_replaced : 0;
    dltf_learner_free(learner);
    assert_true(replaced > 0);
    check_every_stop(&options);
    memcpy(X, keep, sizeof keep);
}

static void stopped_with_stages_missing(void **state) {
    (void)state;
    for (int stages = 0; stages < 8; stages++) {
        dltf_train_options options = all_stages();
        options.steps = stages & 1 ? 3 : 0;
        options.iterations = stages & 2 ? 3 : 0;
        options.admm = stages & 4 ? 2 : 0;
        check_every_stop(&options);
    }
}

/* A stage that has converged is not resumed. */
static void stopped_when_converged(void **state) {
    (void)state;
    dltf_train_options options = all_stages();
    options.tolerance = 1;
    options.iterations = 12;
    options.admm = 9;
    check_every_stop(&options);
    options.steps = 0; /* far fewer records than iterations allowed */
    options.iterations = 40;
    check_every_stop(&options);
}

/* m and k chosen by the learner, a model as start. */
static void started_from_a_model(void **state) {
    (void)state;
    dltf_train_options options = all_stages();
    dltf_learner *learner = new_learner(&options), *whole = NULL, *part = NULL;
    run(learner, 5);
    dltf_model *start = model_of(learner);
    options.m = options.k = 0;
    assert_int_equal(dltf_learner_new(samples(), &options, start, &whole), DLTF_OK);
    assert_int_equal(dltf_learner_new(samples(), &options, start, &part), DLTF_OK);
    run(whole, 0);
    run(part, 9);
    assert_int_equal(dltf_learner_save(part, path), DLTF_OK);
    dltf_learner *resumed = resume(2);
    run(resumed, 0);
    assert_same_history(whole, resumed);
    assert_same_model(whole, resumed);
    dltf_model_free(start);
    dltf_learner_free(learner);
    dltf_learner_free(whole);
    dltf_learner_free(part);
    dltf_learner_free(resumed);
}

/* Saved, resumed and saved again: the same file. */
static void saved_twice(void **state) {
    (void)state;
    dltf_train_options options = all_stages();
    for (int64_t stop = 1; stop < 17; stop += 5) {
        dltf_learner *learner = new_learner(&options);
        dl_bundle a = {0}, b = {0};
        run(learner, stop);
        assert_int_equal(dltf_learner_save(learner, path), DLTF_OK);
        assert_int_equal(dl_safetensors_load(path, &a), DLTF_OK);
        dltf_learner *again = resume(2);
        assert_int_equal(dltf_learner_save(again, path), DLTF_OK);
        assert_int_equal(dl_safetensors_load(path, &b), DLTF_OK);
        assert_int_equal(a.count, b.count);
        assert_int_equal(a.notes.count, b.notes.count);
        for (int i = 0; i < a.count; i++) {
            const dl_tensor *other = dl_bundle_find(&b, a.tensors[i].name);
            assert_non_null(other);
            assert_int_equal(dl_tensor_bytes(other), dl_tensor_bytes(&a.tensors[i]));
            assert_memory_equal(other->data, a.tensors[i].data, (size_t)dl_tensor_bytes(other));
        }
        for (int i = 0; i < a.notes.count; i++)
            assert_string_equal(a.notes.list[i].value, dl_notes_get(&b.notes, a.notes.list[i].name));
        dl_bundle_free(&a);
        dl_bundle_free(&b);
        dltf_learner_free(learner);
        dltf_learner_free(again);
    }
}

/* ---- wrong data and wrong files ---- */

static void save_at(int64_t stop) {
    dltf_train_options options = all_stages();
    dltf_learner *learner = new_learner(&options);
    run(learner, stop);
    assert_int_equal(dltf_learner_save(learner, path), DLTF_OK);
    dltf_learner_free(learner);
}

static void other_data(void **state) {
    (void)state;
    dltf_learner *learner = NULL;
    dltf_matrix data = samples();
    save_at(9);
    float keep = X[33];
    X[33] = nextafterf(keep, 9);
    assert_fails(dltf_learner_resume(path, data, 1, &learner), DLTF_DATA, "made from different data");
    assert_message_has(path);
    X[33] = NAN;
    assert_fails(dltf_learner_resume(path, data, 1, &learner), DLTF_DATA, "NaN");
    X[33] = keep;
    dltf_matrix fewer = dltf_matrix_f32(X, N - 1, n), narrower = dltf_matrix_f32(X, N * 2, n / 2);
    assert_fails(dltf_learner_resume(path, fewer, 1, &learner), DLTF_DATA, "made from different data");
    assert_fails(dltf_learner_resume(path, narrower, 1, &learner), DLTF_DATA, "made from different data");
    assert_fails(dltf_learner_resume(path, dltf_matrix_f32(NULL, N, n), 1, &learner), DLTF_ARGUMENT,
                 "no data");
    assert_fails(dltf_learner_resume(path, data, -1, &learner), DLTF_ARGUMENT, "threads");
    assert_null(learner);
    learner = resume(1);
    dltf_learner_free(learner);
}

static void write_bytes(const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void other_files(void **state) {
    (void)state;
    dltf_learner *learner = NULL;
    assert_fails(dltf_learner_resume("no-such-file", samples(), 1, &learner), DLTF_FILE, "no-such-file");
    write_bytes("garbage, certainly no checkpoint", 32);
    assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FORMAT, path);
    write_bytes("", 0);
    assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FORMAT, path);
    dltf_train_options options = all_stages();
    dltf_learner *made = new_learner(&options);
    dltf_model *model = model_of(made);
    assert_int_equal(dltf_model_save(model, path), DLTF_OK);
    assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FORMAT, "a finished model");
    dltf_learner_save(made, path);
    dltf_model *loaded = NULL;
    assert_fails(dltf_model_load(path, &loaded), DLTF_FORMAT, path); /* nor is a checkpoint a model */
    assert_null(loaded);
    assert_null(learner);
    dltf_model_free(model);
    dltf_learner_free(made);
}

static void truncated(void **state) {
    (void)state;
    static uint8_t bytes[1 << 20];
    dltf_learner *learner = NULL;
    save_at(15);
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof bytes);
    for (size_t length = 0; length < size; length += length < 64 ? 1 : 997) {
        write_bytes(bytes, length);
        assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FORMAT, path);
        assert_null(learner);
    }
}

/* ---- tampering ---- */

/* The checkpoint of a learner, which is freed, as a bundle that may be changed. */
static void read_back(dltf_learner *learner, dl_bundle *bundle) {
    assert_int_equal(dltf_learner_save(learner, path), DLTF_OK);
    assert_int_equal(dl_safetensors_load(path, bundle), DLTF_OK);
    dltf_learner_free(learner);
}

/* The checkpoint after `stop` iterations: 3 is in stage minibatch, 9 in tied, 15 in admm. */
static dl_bundle bundle_at(int64_t stop) {
    dl_bundle bundle = {0};
    dltf_train_options options = all_stages();
    dltf_learner *learner = new_learner(&options);
    run(learner, stop);
    read_back(learner, &bundle);
    return bundle;
}

/* Restores and, if that succeeds, runs to the end. Whatever was changed, the result has no NaN. */
static dltf_status restore_and_run(const dl_bundle *bundle) {
    dltf_learner *learner = NULL;
    dltf_outcome outcome;
    dltf_model *model = NULL;
    dltf_status status = dl_checkpoint_restore(bundle, samples(), 1, NULL, &learner);
    assert_true((learner != NULL) == (status == DLTF_OK));
    alarm(30); /* a hang is a failure too */
    if (status == DLTF_OK)
        status = dltf_learner_run(learner, NULL, NULL, &outcome);
    if (status == DLTF_OK)
        status = dltf_learner_model(learner, &model);
    alarm(0);
    if (status == DLTF_OK)
        assert_sound_model(model);
    dltf_model_free(model);
    dltf_learner_free(learner);
    return status;
}

static dltf_status with_note(int64_t stop, const char *name, const char *value) {
    dl_bundle bundle = bundle_at(stop);
    assert_non_null(dl_notes_get(&bundle.notes, name));
    assert_int_equal(dl_notes_set(&bundle.notes, name, value), DLTF_OK);
    dltf_status status = restore_and_run(&bundle);
    dl_bundle_free(&bundle);
    return status;
}

static void changed_position(void **state) {
    (void)state;
    const char *stages[] = {
        "0", "2", "ksvd", "encoder", "", "x", "tiedx", "tie", "a stage whose name has no end"};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        assert_fails(with_note(9, "stage", stages[i]), DLTF_FORMAT, "stage");
    const char *indices[] = {"-1", "7.5", "", "x", "99999999999999999999", "1000000"};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        assert_fails(with_note(9, "index", indices[i]), DLTF_FORMAT, "index");
    assert_fails(with_note(9, "outcome", "interrupted"), DLTF_FORMAT, "'interrupted' is unknown");
    assert_fails(with_note(9, "samples_seen", "-1"), DLTF_FORMAT, "'samples_seen': '-1' is not a number");
    assert_fails(with_note(9, "version", "5"), DLTF_FORMAT,
                 "unsupported checkpoint version 5; this program reads version 6");
    assert_fails(with_note(9, "stage", "minibatch"), DLTF_FORMAT,
                 "minibatch"); /* without the state of that stage */
    assert_fails(with_note(9, "stage", "admm"), DLTF_FORMAT, "admm");
    dl_bundle bundle = bundle_at(9); /* in stage `tied`, whose iterations are whole */
    assert_int_equal(dl_notes_set(&bundle.notes, "partway", "1"), DLTF_OK);
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT, "partway through an iteration of stage 'tied'");
    dl_bundle_free(&bundle);
}

static void changed_notes(void **state) {
    (void)state;
    assert_fails(with_note(9, "format", "dltf-model"), DLTF_FORMAT, "finished model");
    assert_fails(with_note(9, "format", "else"), DLTF_FORMAT, "not a dltf checkpoint");
    assert_fails(with_note(9, "version", "2"), DLTF_FORMAT, "version 2");
    assert_fails(with_note(9, "data.checksum", "0123456789abcdef"), DLTF_DATA, "different data");
    assert_true(with_note(9, "option.k", "100") != DLTF_OK);
    assert_true(with_note(9, "option.theta", "nan") != DLTF_OK);
    assert_true(with_note(9, "option.select", "none") != DLTF_OK);
    assert_fails(with_note(9, "option.m", "9"), DLTF_FORMAT, "dictionary");
    assert_fails(with_note(15, "option.admm", "0"), DLTF_FORMAT,
                 "stage"); /* the options exclude this stage */
}

/* History records refer to stages by their position in the note; unknown names are rejected. */
static void changed_stage_names(void **state) {
    (void)state;
    const char *const wrong[] = {"", "x", "minibatch", "minibatch tie admm", "  tied"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(with_note(15, "stages", wrong[i]), DLTF_FORMAT, "history");
    assert_int_equal(with_note(15, "stages", "tied minibatch admm"), DLTF_OK); /* names, not numbers */
}

/* A finished encoder is used as read, so NaN and wrong shapes must be rejected. */
static void changed_encoder(void **state) {
    (void)state;
    const char *const names[] = {"encoder.E", "encoder.bias"};
    for (int i = 0; i < 2; i++)
        for (int change = 0; change < 2; change++) {
            dl_bundle bundle = {0};
            dltf_train_options options = with_encoder(DLTF_ENCODER_DISTILLED);
            dltf_learner *learner = new_learner(&options);
            run(learner, 0);
            read_back(learner, &bundle);
            dl_tensor *tensor = (dl_tensor *)dl_bundle_find(&bundle, names[i]);
            assert_non_null(tensor);
            if (change == 0)
                ((double *)tensor->data)[1] = (double)NAN;
            else
                tensor->rows--;
            assert_fails(restore_and_run(&bundle), DLTF_FORMAT, names[i]);
            dl_bundle_free(&bundle);
        }
}

static dltf_status with_code(const char *name, int32_t value) {
    dl_bundle bundle = bundle_at(15);
    const dl_tensor *tensor = dl_bundle_find(&bundle, name);
    assert_non_null(tensor);
    ((int32_t *)tensor->data)[tensor->cols] = value; /* of the second sample */
    dltf_status status = restore_and_run(&bundle);
    dl_bundle_free(&bundle);
    return status;
}

static void changed_codes(void **state) {
    (void)state;
    const int32_t wrong[] = {-1, INT32_MAX, INT32_MIN, 1000};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_fails(with_code("admm.Z.count", wrong[i]), DLTF_FORMAT, "code 1");
        assert_fails(with_code("admm.Z.index", wrong[i]), DLTF_FORMAT, "code 1");
    }
}

/* The convergence test of K-SVD compares two records and must handle a history with only one. */
static void one_record_of_ksvd(void **state) {
    (void)state;
    dl_bundle bundle = {0};
    dltf_train_options options = dltf_train_options_default();
    options.m = m;
    options.k = k;
    options.method = DLTF_METHOD_KSVD;
    options.iterations = 6;
    options.threads = 1;
    dltf_learner *learner = new_learner(&options);
    run(learner, 3);
    read_back(learner, &bundle);
    for (int i = 0; i < bundle.count; i++)
        if (strcmp(bundle.tensors[i].name, "history") == 0) {
            dl_tensor *history = &bundle.tensors[i];
            size_t row = (size_t)history->cols * sizeof(double);
            memmove(history->data, (double *)history->data + (history->rows - 1) * history->cols, row);
            history->rows = 1;
        }
    assert_int_equal(restore_and_run(&bundle), DLTF_OK);
    dl_bundle_free(&bundle);
}

static void missing_notes(void **state) {
    (void)state;
    dl_bundle bundle = bundle_at(9);
    const char *optional[] = {"data.shape", "made-by"};
    for (int i = 0; i < bundle.notes.count; i++) {
        dl_note hidden = bundle.notes.list[i];
        bool needed = strcmp(hidden.name, optional[0]) != 0 && strcmp(hidden.name, optional[1]) != 0;
        bundle.notes.list[i].name = (char *)"zzz";
        dl_note *list = bundle.notes.list;
        dl_note moved = list[i];
        memmove(list + i, list + i + 1, (size_t)(bundle.notes.count - i - 1) * sizeof *list);
        list[bundle.notes.count - 1] = moved; /* the list stays sorted */
        if (needed)
            assert_fails(restore_and_run(&bundle), DLTF_FORMAT, "checkpoint");
        memmove(list + i + 1, list + i, (size_t)(bundle.notes.count - i - 1) * sizeof *list);
        list[i] = hidden;
    }
    assert_int_equal(restore_and_run(&bundle), DLTF_OK);
    dl_bundle_free(&bundle);
}

/* Every tensor of every stage: absent, of another shape, of another type, full of NaN, infinity or huge
 * values. */
static void check_tensor(int64_t stop, int which) {
    dl_bundle bundle = bundle_at(stop);
    dl_tensor *t = &bundle.tensors[which], keep = *t;
    memset(t->name, 'x', 3);
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT,
                 strcmp(keep.name, "history") == 0 ? "history" : "missing");
    *t = keep;
    t->rows--;
    if (strcmp(keep.name, "history") != 0) /* any number of records is valid; see shortened_history */
        assert_fails(restore_and_run(&bundle), DLTF_FORMAT, keep.name);
    *t = keep;
    t->cols--;
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT, keep.name);
    *t = keep;
    t->rank = 3 - t->rank;
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT, keep.name);
    *t = keep;
    t->type = t->type == DL_TENSOR_F32 ? DL_TENSOR_F64 : DL_TENSOR_F32;
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT, keep.name);
    *t = keep;
    const double values[] = {NAN, INFINITY, -1e30, 0};
    for (int v = 0; t->type != DL_TENSOR_I32 && v < 4; v++) { /* for integers see changed_codes */
        for (int64_t i = 0; i < t->rows * t->cols; i += 1 + (v < 2) * t->cols)
            if (t->type == DL_TENSOR_F32)
                ((float *)t->data)[i] = (float)values[v];
            else
                ((double *)t->data)[i] = values[v];
        dltf_status status = restore_and_run(&bundle);
        if (v < 2)
            assert_int_equal(status, DLTF_FORMAT); /* not a state of a learner */
    }
    dl_bundle_free(&bundle);
}

static void changed_tensors(void **state) {
    (void)state;
    for (int64_t stop = 3; stop <= 15; stop += 6) {
        dl_bundle bundle = bundle_at(stop);
        int count = bundle.count;
        dl_bundle_free(&bundle);
        for (int which = 0; which < count; which++)
            check_tensor(stop, which);
    }
}

/* Fewer or no records: comparing with the previous record must not read before the first. */
static void shortened_history(void **state) {
    (void)state;
    for (int64_t stop = 3; stop <= 15; stop += 3)
        for (int64_t rows = 0; rows < 3; rows++) {
            dl_bundle bundle = bundle_at(stop);
            assert_int_equal(dl_notes_set(&bundle.notes, "option.tolerance", "1"), DLTF_OK);
            for (int i = 0; i < bundle.count; i++)
                if (strcmp(bundle.tensors[i].name, "history") == 0)
                    bundle.tensors[i].rows = rows;
            dltf_status status = restore_and_run(&bundle);
            assert_true(status == DLTF_OK || status == DLTF_FORMAT);
            dl_bundle_free(&bundle);
        }
}

/* ---- out of memory ---- */

static dltf_status save(const dltf_learner *learner) {
    return dltf_learner_save(learner, path);
}

static dltf_status resume_once(void) {
    dltf_learner *learner = NULL;
    dltf_status status = dltf_learner_resume(path, samples(), 2, &learner);
    assert_true((learner != NULL) == (status == DLTF_OK));
    dltf_learner_free(learner);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    dltf_train_options options = all_stages();
    for (int64_t stop = 3; stop <= 15; stop += 6) {
        dltf_learner *learner = new_learner(&options);
        run(learner, stop);
        assert_survives_lack_of_memory(save(learner), 20);
        assert_survives_lack_of_memory(resume_once(), 60);
        dltf_learner *resumed = resume(1);
        assert_same_model(learner, resumed);
        dltf_learner_free(resumed);
        dltf_learner_free(learner);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_anywhere),
        cmocka_unit_test(stopped_with_an_encoder),
        cmocka_unit_test(stopped_in_gradient_descent),
        cmocka_unit_test(stopped_while_atoms_join),
        cmocka_unit_test(outcome_of_finished_training),
        cmocka_unit_test(stopped_in_fine_tuning),
        cmocka_unit_test(stopped_before_the_choice),
        cmocka_unit_test(stopped_among_replacements),
        cmocka_unit_test(stopped_with_stages_missing),
        cmocka_unit_test(stopped_when_converged),
        cmocka_unit_test(started_from_a_model),
        cmocka_unit_test(saved_twice),
        cmocka_unit_test(other_data),
        cmocka_unit_test(other_files),
        cmocka_unit_test(truncated),
        cmocka_unit_test(changed_position),
        cmocka_unit_test(changed_notes),
        cmocka_unit_test(changed_stage_names),
        cmocka_unit_test(changed_encoder),
        cmocka_unit_test(changed_codes),
        cmocka_unit_test(one_record_of_ksvd),
        cmocka_unit_test(missing_notes),
        cmocka_unit_test(changed_tensors),
        cmocka_unit_test(shortened_history),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
