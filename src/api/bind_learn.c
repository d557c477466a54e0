/* dltf/bind.h: learning. */
#include "api/bind.h"
#include "api/values.h"
#include "data/array.h"
#include "learning/learner.h"
#include "learning/learner_facts.h"

dltf_status dltf_bind_train(const dltf_array *X, const dltf_model *start, const dltf_options *options,
                            dltf_report_fn report, void *context, dltf_model **model) {
    DL_CLEAR(model);
    DL_REQUIRE(X, model);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "train", options, report, context);
    return status == DLTF_OK ? dl_train(X->matrix, call.options, start, call.progress, &call, model) : status;
}

dltf_status dltf_bind_learner_new(const dltf_array *X, const dltf_model *start, const dltf_options *options,
                                  dltf_learner **learner) {
    DL_CLEAR(learner);
    DL_REQUIRE(X, learner);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "train", options, NULL, NULL);
    return status == DLTF_OK ? dltf_learner_new(X->matrix, start, call.options, learner) : status;
}

static const char *const outcomes[] = {
    [DLTF_CONVERGED] = "converged",     [DLTF_ITERATION_LIMIT] = "iteration-limit",
    [DLTF_INTERRUPTED] = "interrupted", [DLTF_TIME_LIMIT] = "time-limit",
    [DLTF_ERROR_GREW] = "error-grew",
};

dltf_status dltf_bind_learner_run(dltf_learner *learner, dltf_report_fn report, void *context,
                                  const char **outcome) {
    DL_CLEAR(outcome);
    DL_REQUIRE(learner, outcome);
    dl_call call = dl_call_plain(report, context);
    dltf_outcome found = DLTF_ITERATION_LIMIT;
    dltf_status status = dltf_learner_run(learner, call.progress, &call, &found);
    if (status == DLTF_OK)
        *outcome = outcomes[found];
    return status;
}

dltf_status dltf_bind_learner_resume(const char *path, const dltf_array *X, int64_t threads,
                                     dltf_learner **learner) {
    DL_CLEAR(learner);
    DL_REQUIRE(path, X, learner);
    return dltf_learner_resume(path, X->matrix, threads, learner);
}

static void put_quality(dltf_values *values, const dltf_quality *quality) {
    DL_PUT_NUMBER(values, *quality, samples);
    DL_PUT_NUMBER(values, *quality, held_out);
    DL_PUT_NUMBER(values, *quality, raw_error);
    DL_PUT_NUMBER(values, *quality, refit_error);
    DL_PUT_NUMBER(values, *quality, omp_error);
    DL_PUT_NUMBER(values, *quality, raw_explained);
    DL_PUT_NUMBER(values, *quality, refit_explained);
    DL_PUT_NUMBER(values, *quality, omp_explained);
    DL_PUT_NUMBER(values, *quality, entries);
    DL_PUT_NUMBER(values, *quality, unused_share);
    DL_PUT_NUMBER(values, *quality, mean_share);
}

dltf_status dltf_bind_learner_quality(const dltf_learner *learner, const dltf_model *model,
                                      dltf_values **quality) {
    DL_CLEAR(quality);
    DL_REQUIRE(learner, quality);
    dltf_quality found;
    dltf_values *made = NULL;
    dltf_status status = dltf_learner_quality(learner, model, &found);
    if (status == DLTF_OK)
        status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    put_quality(made, &found);
    int64_t *rows = dl_values_add_vector(made, "rows", DL_TENSOR_I64, found.samples);
    for (int64_t i = 0; rows && i < found.samples; i++)
        rows[i] = dl_learner_quality_row(learner, i);
    return dl_values_finish(made, quality);
}

dltf_status dltf_bind_learner_options(const dltf_learner *learner, dltf_options **options) {
    DL_CLEAR(options);
    DL_REQUIRE(learner, options);
    dltf_train_options found = dltf_learner_options(learner);
    return dl_options_of("train", &found, options);
}

/* ---- Streams of samples ---- */

dltf_status dltf_bind_online_new(int64_t n, const dltf_model *start, const dltf_options *options,
                                 dltf_online **online) {
    DL_CLEAR(online);
    DL_REQUIRE(online);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "train", options, NULL, NULL);
    return status == DLTF_OK ? dltf_online_new(n, start, call.options, online) : status;
}

dltf_status dltf_bind_online_add(dltf_online *online, const dltf_array *X) {
    DL_REQUIRE(online, X);
    return dltf_online_add(online, X->matrix);
}

dltf_status dltf_bind_online_options(const dltf_online *online, dltf_options **options) {
    DL_CLEAR(options);
    DL_REQUIRE(online, options);
    dltf_train_options found = dltf_online_options(online);
    return dl_options_of("train", &found, options);
}

dltf_status dltf_bind_online_quality(const dltf_online *online, const dltf_model *model,
                                     dltf_values **quality) {
    DL_CLEAR(quality);
    DL_REQUIRE(online, model, quality);
    dltf_quality found;
    dltf_values *made = NULL;
    dltf_status status = dltf_online_quality(online, model, &found);
    if (status == DLTF_OK)
        status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    put_quality(made, &found);
    return dl_values_finish(made, quality);
}
