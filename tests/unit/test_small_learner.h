/* Learners of one small problem with few iterations. */
#ifndef TEST_SMALL_LEARNER_H
#define TEST_SMALL_LEARNER_H

#include "learning/learner.h"

#include "test_learning.h"

static inline dltf_learner *new_learner(dltf_matrix X, const dltf_train_options *options) {
    dltf_learner *learner = NULL;
    assert_int_equal(dltf_learner_new(X, NULL, options, &learner), DLTF_OK);
    return learner;
}

static inline dltf_outcome run(dltf_learner *learner) {
    dltf_outcome outcome = DLTF_INTERRUPTED;
    assert_int_equal(dltf_learner_run(learner, NULL, NULL, &outcome), DLTF_OK);
    return outcome;
}

static inline dltf_model *model_of(const dltf_learner *learner) {
    dltf_model *model = NULL;
    assert_int_equal(dltf_learner_model(learner, &model), DLTF_OK);
    assert_sound_model(model);
    return model;
}

static inline dltf_model *train(dltf_matrix X, const dltf_train_options *options) {
    dltf_model *model = NULL;
    assert_int_equal(dltf_train(X, options, NULL, NULL, &model), DLTF_OK);
    assert_sound_model(model);
    return model;
}

static inline dltf_codes *encode(const dltf_model *model, dltf_matrix X) {
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_encode(model, X, NULL, NULL, NULL, &codes), DLTF_OK);
    return codes;
}

static inline dltf_matrix dictionary_of(const dltf_model *model) {
    dltf_model_view view = dltf_model_get(model);
    return dltf_matrix_f32(view.dictionary, view.m, view.n);
}

/* Options of the gradient learner. */
static inline dltf_train_options learned(int64_t atoms, int64_t entries) {
    dltf_train_options options = dltf_train_options_default();
    options.m = atoms;
    options.k = entries;
    options.encoder = DLTF_ENCODER_LEARNED;
    options.threads = 2;
    return options;
}

/* Relative error of the codes of a model. */
static inline double error_of(const dltf_model *model, dltf_matrix X, bool refit) {
    dltf_encode_options options = dltf_encode_options_default();
    dltf_codes *codes = NULL;
    double error = NAN;
    options.refit = refit;
    assert_int_equal(dltf_encode(model, X, &options, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_reconstruction_error(model, X, codes, &error), DLTF_OK);
    dltf_codes_free(codes);
    return error;
}

/* A problem too small for tests of quality, and options that run all stages of the tied method. */
static inline dltf_synthetic *small_problem(void) {
    return new_synthetic(16, 24, 2, sized(700, 300), 0.05);
}

static inline dltf_train_options small_options(void) {
    dltf_train_options options = dltf_train_options_default();
    options.m = 24;
    options.k = 2;
    options.encoder = DLTF_ENCODER_TIED;
    options.steps = sized(30, 12);
    options.batch = 150;
    options.iterations = sized(20, 10);
    options.admm = sized(10, 5);
    options.tolerance = 0;
    options.threads = 2;
    return options;
}

/* Mean support error on the test set after matching, and the share of atoms with |cos| > .9. */
static inline double score(const dltf_model *model, const dltf_synthetic *problem, double *recovered) {
    dltf_model_view view = dltf_model_get(model);
    int32_t *match = calloc((size_t)view.m, sizeof *match);
    float *cosine = new_f32(view.m);
    dltf_support_score result;
    dltf_codes *codes = encode(model, dltf_synthetic_samples(problem, true));
    assert_int_equal(dltf_match(dictionary_of(model), dltf_synthetic_dictionary(problem), match, cosine),
                     DLTF_OK);
    assert_int_equal(dltf_supports_score(codes, dltf_synthetic_codes(problem, true), match, &result),
                     DLTF_OK);
    *recovered = 0;
    for (int64_t j = 0; j < view.m; j++)
        *recovered += cosine[j] > 0.9f ? 1 / (double)view.m : 0;
    dltf_codes_free(codes);
    free(match);
    free(cosine);
    return result.ave_dif;
}

#endif
