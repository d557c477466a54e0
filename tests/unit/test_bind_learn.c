/* Learning and coding without structs: the same results as with them, progress, and cancellation. */
#include "test_bind.h"

#include <math.h>
#include <unistd.h>

enum { N = 300, n = 6, M = 8, K = 2 };
static float x[N * n];
static dltf_array *X;
static dltf_options *options;

static int set_up(void **state) {
    (void)state;
    fill_normal(x, N * n);
    options = OPTIONS("train", "m", "8", "k", "2", "encoder", "tied", "steps", "20", "iterations", "5");
    return dltf_array_borrow(x, "float32", N, n, n, 1, &X) == DLTF_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    dltf_array_free(X);
    dltf_options_free(options);
    return 0;
}

static const void *vector(const dltf_values *values, const char *name, const char *type, int64_t length) {
    const char *found = NULL;
    int64_t rows = 0, cols = 0;
    const void *data = NULL;
    assert_int_equal(dltf_values_array(values, name, &found, &rows, &cols, &data), DLTF_OK);
    assert_string_equal(found, type);
    assert_true(rows == length && cols == 0);
    return data;
}

/* What a callback saw; `limit`: the call that cancels. */
typedef struct seen {
    int calls, limit;
    int64_t done, total;
    char task[20], stage[20];
    int64_t index;
    double error;
} seen;

static int watch(void *context, const char *task, int64_t done, int64_t total, const char *stage,
                 int64_t index, double error, const struct dltf_state *state) {
    seen *s = context;
    (void)state;
    s->done = done;
    s->total = total;
    s->index = index;
    s->error = error;
    strncpy(s->task, task, sizeof s->task - 1);
    strncpy(s->stage, stage, sizeof s->stage - 1);
    return ++s->calls == s->limit;
}

static dltf_model *trained(void) {
    dltf_model *model = NULL;
    assert_int_equal(dltf_bind_train(X, NULL, options, NULL, NULL, &model), DLTF_OK);
    return model;
}

static void history_and_quality(void **state) {
    (void)state;
    seen s = {0};
    const char *outcome = NULL, *stages = NULL;
    dltf_learner *learner = NULL;
    dltf_values *values = NULL;
    dltf_iteration last;
    dltf_quality quality;
    assert_int_equal(dltf_bind_learner_new(X, NULL, options, &learner), DLTF_OK);
    assert_int_equal(dltf_bind_learner_run(learner, watch, &s, &outcome), DLTF_OK);
    assert_string_equal(outcome, "iteration-limit");
    int64_t records = dltf_learner_history(learner, 0, NULL);
    dltf_learner_history(learner, records - 1, &last);
    assert_true(s.calls > 0 && s.done == s.total);
    assert_string_equal(s.stage, last.stage);
    assert_true(s.index == last.index && s.error == last.relative_error);

    assert_survives_lack_of_memory(dltf_bind_get("learner", learner, &values), 18);
    assert_true(number(values, "records") == (double)records);
    const double *errors = vector(values, "relative_error", "float64", records);
    const int64_t *index = vector(values, "index", "int64", records);
    assert_true(errors[records - 1] == last.relative_error && index[records - 1] == last.index);
    assert_int_equal(dltf_values_text(values, "stage", &stages), DLTF_OK);
    assert_int_equal(strncmp(stages, "minibatch\nminibatch\n", 20), 0);
    int64_t lines = 0;
    for (const char *c = stages; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, records);
    dltf_values_free(values);

    assert_int_equal(dltf_learner_quality(learner, NULL, &quality), DLTF_OK);
    assert_int_equal(dltf_bind_learner_quality(learner, NULL, &values), DLTF_OK);
    assert_true(number(values, "raw_error") == quality.raw_error && number(values, "held_out") == 0);
    assert_true(number(values, "samples") == N);
    const int64_t *rows = vector(values, "rows", "int64", N);
    assert_true(rows[0] == 0 && rows[N - 1] == N - 1);
    dltf_values_free(values);
    dltf_learner_free(learner);
}

/* A new learner has an empty history. */
static void no_history(void **state) {
    (void)state;
    dltf_learner *learner = NULL;
    dltf_values *values = NULL;
    assert_int_equal(dltf_bind_learner_new(X, NULL, options, &learner), DLTF_OK);
    assert_int_equal(dltf_bind_get("learner", learner, &values), DLTF_OK);
    assert_true(number(values, "records") == 0);
    vector(values, "theta", "float64", 0);
    dltf_values_free(values);
    dltf_learner_free(learner);
}

static void starts(void **state) {
    (void)state;
    dltf_model *start = trained(), *expected = NULL, *model = NULL;
    dltf_learner *learner = NULL;
    const char *outcome = NULL;
    assert_int_equal(dltf_bind_train(X, start, options, NULL, NULL, &model), DLTF_OK);
    assert_int_equal(dltf_bind_learner_new(X, start, options, &learner), DLTF_OK);
    assert_int_equal(dltf_bind_learner_run(learner, NULL, NULL, &outcome), DLTF_OK);
    assert_int_equal(dltf_learner_model(learner, &expected), DLTF_OK);
    assert_memory_equal(dltf_model_get(model).dictionary, dltf_model_get(expected).dictionary,
                        M * n * sizeof(float));
    assert_memory_not_equal(dltf_model_get(model).dictionary, dltf_model_get(start).dictionary,
                            M * n * sizeof(float));
    dltf_learner_free(learner);
    dltf_model_free(expected);
    dltf_model_free(model);
    dltf_model_free(start);
}

/* A learner that was cancelled can be saved, and resumed to the same model. */
static void cancellation(void **state) {
    (void)state;
    const char *path = "test_bind_learn.st", *outcome = NULL;
    seen s = {.limit = 5};
    dltf_model *model = (dltf_model *)&s, *expected = trained();
    dltf_learner *learner = NULL;
    assert_fails(dltf_bind_train(X, NULL, options, watch, &s, &model), DLTF_CANCELLED, "cancelled");
    assert_null(model);
    s = (seen){.limit = 5};
    assert_int_equal(dltf_bind_learner_new(X, NULL, options, &learner), DLTF_OK);
    assert_int_equal(dltf_bind_learner_run(learner, watch, &s, &outcome), DLTF_OK);
    assert_string_equal(outcome, "interrupted");
    assert_int_equal(dltf_learner_save(learner, path), DLTF_OK);
    dltf_learner_free(learner);
    assert_int_equal(dltf_bind_learner_resume(path, X, 0, &learner), DLTF_OK);
    assert_int_equal(dltf_bind_learner_run(learner, NULL, NULL, &outcome), DLTF_OK);
    assert_int_equal(dltf_learner_model(learner, &model), DLTF_OK);
    assert_memory_equal(dltf_model_get(model).dictionary, dltf_model_get(expected).dictionary,
                        M * n * sizeof(float));
    dltf_learner_free(learner);
    dltf_model_free(model);
    dltf_model_free(expected);
    unlink(path);
}

static void online(void **state) {
    (void)state;
    dltf_options *small = OPTIONS("train", "m", "8", "k", "2");
    dltf_train_options same = *(const dltf_train_options *)dltf_options_struct(small);
    dltf_online *learner = NULL, *expected = NULL;
    dltf_model *model = NULL, *expected_model = NULL;
    dltf_values *values = NULL;
    assert_int_equal(dltf_bind_online_new(n, NULL, small, &learner), DLTF_OK);
    assert_int_equal(dltf_online_new(n, NULL, &same, &expected), DLTF_OK);
    assert_int_equal(dltf_bind_online_add(learner, X), DLTF_OK);
    assert_int_equal(dltf_online_add(expected, dltf_matrix_f32(x, N, n)), DLTF_OK);
    assert_int_equal(dltf_online_model(learner, &model), DLTF_OK);
    assert_int_equal(dltf_online_model(expected, &expected_model), DLTF_OK);
    assert_memory_equal(dltf_model_get(model).dictionary, dltf_model_get(expected_model).dictionary,
                        M * n * sizeof(float));
    assert_int_equal(dltf_bind_get("online", learner, &values), DLTF_OK);
    assert_true(number(values, "samples") == N && number(values, "first") > 0);
    dltf_values_free(values);
    assert_int_equal(dltf_bind_online_quality(learner, model, &values), DLTF_OK);
    assert_true(number(values, "entries") <= K);
    dltf_values_free(values);
    dltf_online_free(learner);
    assert_fails(dltf_bind_online_new(-1, NULL, small, &learner), DLTF_ARGUMENT, "-1");
    assert_null(learner);
    dltf_model_free(model);
    dltf_model_free(expected_model);
    dltf_online_free(expected);
    dltf_options_free(small);
}

TESTS_MAIN(cmocka_unit_test_setup_teardown(history_and_quality, set_up, tear_down),
           cmocka_unit_test_setup_teardown(no_history, set_up, tear_down),
           cmocka_unit_test_setup_teardown(starts, set_up, tear_down),
           cmocka_unit_test_setup_teardown(cancellation, set_up, tear_down),
           cmocka_unit_test_setup_teardown(online, set_up, tear_down))
