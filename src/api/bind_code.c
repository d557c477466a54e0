/* dltf/bind.h: coding, measures and certificates. */
#include "api/bind.h"
#include "api/values.h"
#include "data/array.h"
#include "dltf/certify.h"
#include "dltf/measure.h"

dltf_status dltf_bind_encode(const dltf_model *model, const dltf_array *X, const dltf_options *options,
                             dltf_report_fn report, void *context, dltf_codes **codes) {
    DL_CLEAR(codes);
    DL_REQUIRE(model, X, codes);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "encode", options, report, context);
    return status == DLTF_OK ? dltf_encode(model, X->matrix, call.options, call.progress, &call, codes)
                             : status;
}

dltf_status dltf_bind_encoder_new(const dltf_model *model, const dltf_options *options,
                                  dltf_encoder **encoder) {
    DL_CLEAR(encoder);
    DL_REQUIRE(model, encoder);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "encode", options, NULL, NULL);
    return status == DLTF_OK ? dltf_encoder_new(model, call.options, encoder) : status;
}

dltf_status dltf_bind_encoder_run(dltf_encoder *encoder, const float *X, int64_t rows, int64_t cols,
                                  int32_t *count, int32_t *index, float *value) {
    DL_REQUIRE(encoder, X, count, index, value);
    return dltf_encoder_run(encoder, dltf_matrix_f32(X, rows, cols), count, index, value);
}

dltf_status dltf_bind_refit(const dltf_model *model, const dltf_array *X, const dltf_codes *supports,
                            int64_t threads, dltf_codes **codes) {
    DL_CLEAR(codes);
    DL_REQUIRE(model, X, supports, codes);
    return dltf_refit(model, X->matrix, supports, threads, codes);
}

dltf_status dltf_bind_reconstruction_measure(const dltf_model *model, const dltf_array *X,
                                             const dltf_codes *codes, int64_t threads, dltf_values **found) {
    DL_CLEAR(found);
    DL_REQUIRE(model, X, codes, found);
    dltf_reconstruction measured;
    dltf_values *made = NULL;
    dltf_status status = dltf_reconstruction_measure(model, X->matrix, codes, threads, &measured);
    if (status == DLTF_OK)
        status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    DL_PUT_NUMBER(made, measured, relative_error);
    DL_PUT_NUMBER(made, measured, explained_variance);
    DL_PUT_NUMBER(made, measured, entries);
    return dl_values_finish(made, found);
}

/* ---- Measures ---- */

dltf_status dltf_bind_match(const dltf_array *dictionary, const dltf_array *truth, int32_t *match,
                            float *cosine) {
    DL_REQUIRE(dictionary, truth, match);
    return dltf_match(dictionary->matrix, truth->matrix, match, cosine);
}

dltf_status dltf_bind_supports_score(const dltf_codes *codes, const dltf_codes *truth, const int32_t *match,
                                     dltf_values **score) {
    DL_CLEAR(score);
    DL_REQUIRE(codes, truth, score);
    dltf_support_score found;
    dltf_values *made = NULL;
    dltf_status status = dltf_supports_score(codes, truth, match, &found);
    if (status == DLTF_OK)
        status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    DL_PUT_NUMBER(made, found, ave_dif);
    DL_PUT_NUMBER(made, found, exact);
    return dl_values_finish(made, score);
}

dltf_status dltf_bind_coherence(const dltf_array *dictionary, double *coherence) {
    DL_REQUIRE(dictionary, coherence);
    return dltf_coherence(dictionary->matrix, coherence);
}

dltf_status dltf_bind_babel(const dltf_array *dictionary, int64_t order, double *babel) {
    DL_REQUIRE(dictionary, babel);
    return dltf_babel(dictionary->matrix, order, babel);
}

dltf_status dltf_bind_frame_potential(const dltf_array *dictionary, double *potential) {
    DL_REQUIRE(dictionary, potential);
    return dltf_frame_potential(dictionary->matrix, potential);
}

dltf_status dltf_bind_synthetic_new(const dltf_options *options, dltf_report_fn report, void *context,
                                    dltf_synthetic **problem) {
    DL_CLEAR(problem);
    DL_REQUIRE(problem);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "synthetic", options, report, context);
    return status == DLTF_OK ? dltf_synthetic_new(call.options, call.progress, &call, problem) : status;
}

/* ---- Certificates ---- */

static void put_certificate(dltf_values *values, dltf_model_certificate found) {
    DL_PUT_NUMBER(values, found, k);
    DL_PUT_NUMBER(values, found, mu);
    DL_PUT_NUMBER(values, found, mu_encoder);
    DL_PUT_NUMBER(values, found, least_gain);
    DL_PUT_NUMBER(values, found, most_gain);
    DL_PUT_NUMBER(values, found, most_bias);
    DL_PUT_NUMBER(values, found, mu_e);
    DL_PUT_NUMBER(values, found, without_noise.theorem1);
    DL_PUT_NUMBER(values, found, without_noise.coherence);
    DL_PUT_NUMBER(values, found, without_noise.babel);
    DL_PUT_NUMBER(values, found, with_noise.theorem1);
    DL_PUT_NUMBER(values, found, with_noise.coherence);
    DL_PUT_NUMBER(values, found, with_noise.babel);
    DL_PUT_NUMBER(values, found, twice.order);
    DL_PUT_NUMBER(values, found, twice.by_coherence);
    DL_PUT_NUMBER(values, found, twice.by_babel);
    DL_PUT_NUMBER(values, found, twice.delta);
    DL_PUT_NUMBER(values, found, twice.exact);
    DL_PUT_NUMBER(values, found, next.order);
    DL_PUT_NUMBER(values, found, next.by_coherence);
    DL_PUT_NUMBER(values, found, next.by_babel);
    DL_PUT_NUMBER(values, found, next.delta);
    DL_PUT_NUMBER(values, found, next.exact);
    DL_PUT_NUMBER(values, found, equation4);
}

dltf_status dltf_bind_model_certify(const dltf_model *model, const dltf_options *options,
                                    dltf_values **certificate) {
    DL_CLEAR(certificate);
    DL_REQUIRE(model, certificate);
    dl_call call;
    dltf_model_certificate found;
    dltf_values *made = NULL;
    dltf_status status = dl_call_begin(&call, "certify", options, NULL, NULL);
    if (status == DLTF_OK)
        status = dltf_model_certify(model, call.options, &found);
    if (status == DLTF_OK)
        status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    put_certificate(made, found);
    return dl_values_finish(made, certificate);
}

dltf_status dltf_bind_samples_certify(const dltf_model *model, const dltf_array *X, const dltf_codes *known,
                                      const dltf_codes *candidates, const dltf_options *options,
                                      dltf_report_fn report, void *context, uint8_t *flags, size_t size) {
    DL_REQUIRE(model, X, flags);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "certify", options, report, context);
    if (status != DLTF_OK)
        return status;
    return dltf_samples_certify_sized(model, X->matrix, known, candidates, call.options, call.progress, &call,
                                      flags, size);
}
