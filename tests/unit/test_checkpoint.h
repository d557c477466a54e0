/* Trainings on one small set of samples that are stopped, saved and resumed. */
#ifndef TEST_CHECKPOINT_H
#define TEST_CHECKPOINT_H

#include "dltf.h"
#include "learning/learner.h"

#include "test_learning.h"
#include "test_path.h"

enum { N = 90, n = 6, m = 8, k = 2 };

static float X[N * n];

static inline dltf_matrix samples(void) {
    if (X[0] == 0)
        fill_normal(X, N * n);
    return dltf_matrix_f32(X, N, n);
}

static inline dltf_train_options all_stages(void) {
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

static inline dltf_train_options with_encoder(dltf_encoder_kind kind) {
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

static inline dltf_learner *new_learner(const dltf_train_options *options) {
    dltf_learner *learner = NULL;
    assert_int_equal(dltf_learner_new(samples(), NULL, options, &learner), DLTF_OK);
    return learner;
}

/* Runs `stop` iterations; 0: all of them. */
static inline dltf_outcome run(dltf_learner *learner, int64_t stop) {
    test_brake b = {.left = stop};
    dltf_outcome outcome;
    assert_int_equal(dltf_learner_run(learner, brake, &b, &outcome), DLTF_OK);
    return outcome;
}

static inline dltf_learner *resume(int64_t threads) {
    dltf_learner *learner = NULL;
    if (dltf_learner_resume(path, samples(), threads, &learner) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return learner;
}

static inline dltf_model *model_of(const dltf_learner *learner) {
    dltf_model *model = NULL;
    assert_int_equal(dltf_learner_model(learner, &model), DLTF_OK);
    assert_sound_model(model);
    return model;
}

static inline void assert_same_model(const dltf_learner *a, const dltf_learner *b) {
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

#endif
