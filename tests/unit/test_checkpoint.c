/* Checkpoints: a training stopped anywhere and resumed gives the same bytes. */
#include "test_checkpoint.h"

#include "io/formats/safetensors.h"
#include "program/program.h"

/* Stops after each iteration in turn, including the last one of each stage. */
static void check_every_stop(const dltf_train_options *options) {
    dltf_learner *whole = new_learner(options);
    dltf_outcome outcome = run(whole, 0);
    int64_t total = 0, seen = dl_learner_samples_seen(whole);
    dl_learner_history(whole, &total);
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
        assert_int_equal(dl_learner_samples_seen(second), seen);
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
    } cases[] = {{30, 0, m, k, DLTF_ITERATION_LIMIT},
                 {1000, 1e-9, m, k, DLTF_TIME_LIMIT},
                 {3000, 0, n, n, DLTF_CONVERGED}, /* as many entries as columns: no error */
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
        assert_int_equal(dl_learner_samples_seen(resumed), dl_learner_samples_seen(learner));
        dltf_learner_free(learner);
        dltf_learner_free(resumed);
    }
}

static void stopped_while_spreading(void **state) {
    (void)state;
    dltf_train_options options = all_stages();
    options.incoherence = DLTF_INCOHERENCE_INF;
    check_every_stop(&options);
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
    const dltf_iteration *r = dl_learner_history(learner, &count);
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
    assert_int_equal(dltf_learner_new(samples(), start, &options, &whole), DLTF_OK);
    assert_int_equal(dltf_learner_new(samples(), start, &options, &part), DLTF_OK);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_anywhere),
        cmocka_unit_test(stopped_with_an_encoder),
        cmocka_unit_test(stopped_in_gradient_descent),
        cmocka_unit_test(stopped_while_atoms_join),
        cmocka_unit_test(outcome_of_finished_training),
        cmocka_unit_test(stopped_while_spreading),
        cmocka_unit_test(stopped_in_fine_tuning),
        cmocka_unit_test(stopped_before_the_choice),
        cmocka_unit_test(stopped_among_replacements),
        cmocka_unit_test(stopped_with_stages_missing),
        cmocka_unit_test(stopped_when_converged),
        cmocka_unit_test(started_from_a_model),
        cmocka_unit_test(saved_twice),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
