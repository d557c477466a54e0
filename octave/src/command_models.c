/* Training, coding and measuring. */
#include "gateway.h"

/* The history of a learner, its outcome and the quality of its model. */
static mxArray *learner_info(const dltf_learner *learner, const dltf_model *model, const char *outcome) {
    static const char *const names[] = {"outcome", "history", "quality"};
    dltf_values *quality = NULL;
    mxArray *info = mxCreateStructMatrix(1, 1, 3, (const char **)names);
    GW_RUN(dltf_bind_learner_quality(learner, model, &quality));
    gw_own(quality, gw_free_values);
    mxSetField(info, 0, "outcome", mxCreateString(outcome));
    mxSetField(info, 0, "history", gw_object_struct("learner", learner));
    mxSetField(info, 0, "quality", gw_values_struct(quality));
    return info;
}

/* [model, info] = train (X, start, options) */
void gw_train(int outputs, mxArray *out[], const mxArray *in[]) {
    const dltf_array *X = gw_array(in[0], "data");
    dltf_learner *learner = NULL;
    dltf_model *model = NULL;
    const char *outcome = NULL;
    const dltf_model *start = gw_model(in[1]);
    GW_RUN(dltf_bind_learner_new(X, start, gw_options("train", in[2]), &learner));
    gw_own(learner, gw_free_learner);
    GW_RUN(dltf_bind_learner_run(learner, gw_report, NULL, &outcome));
    gw_check(dltf_learner_model(learner, &model));
    gw_own(model, gw_free_model);
    out[0] = gw_model_struct(model);
    if (outputs > 1)
        out[1] = learner_info(learner, model, outcome);
}

/* Z = encode (model, X, options) */
void gw_encode(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    dltf_codes *codes = NULL;
    const dltf_model *model = gw_model_required(in[0]);
    const dltf_array *X = gw_array(in[1], "data");
    const dltf_options *options = gw_options("encode", in[2]);
    GW_RUN(dltf_bind_encode(model, X, options, gw_report, NULL, &codes));
    gw_own(codes, gw_free_codes);
    out[0] = gw_codes_matrix(codes);
}

/* X = decode (model, Z) */
void gw_decode(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    const dltf_model *model = gw_model_required(in[0]);
    const dltf_codes *codes = gw_codes_required(in[1], "codes");
    out[0] = gw_single_matrix(dltf_model_get(model).n, dltf_codes_csr(codes).rows);
    GW_RUN(dltf_decode(model, codes, mxGetData(out[0])));
}

/* found = measure (model, X, Z) */
void gw_measure(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    dltf_values *found = NULL;
    const dltf_model *model = gw_model_required(in[0]);
    const dltf_array *X = gw_array(in[1], "data");
    const dltf_codes *codes = gw_codes_required(in[2], "codes");
    GW_RUN(dltf_bind_reconstruction_measure(model, X, codes, 0, &found));
    gw_own(found, gw_free_values);
    out[0] = gw_values_struct(found);
}

/* [coherence, frame_potential] = dictionary (W) */
void gw_dictionary(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    double coherence = 0, potential = 0;
    const dltf_array *W = gw_array(in[0], "dictionary");
    GW_RUN(dltf_bind_coherence(W, &coherence));
    GW_RUN(dltf_bind_frame_potential(W, &potential));
    out[0] = mxCreateDoubleScalar(coherence);
    if (outputs > 1)
        out[1] = mxCreateDoubleScalar(potential);
}

/* [certificate, flags] = certify (model, X, known, candidates, options); X = []: of the model alone. */
void gw_certify(int outputs, mxArray *out[], const mxArray *in[]) {
    dltf_values *certificate = NULL;
    const dltf_model *model = gw_model_required(in[0]);
    const dltf_options *options = gw_options("certify", in[4]);
    GW_RUN(dltf_bind_model_certify(model, options, &certificate));
    gw_own(certificate, gw_free_values);
    out[0] = gw_values_struct(certificate);
    if (outputs < 2)
        return;
    const dltf_array *X = gw_array(in[1], "data");
    const dltf_codes *known = gw_codes(in[2], "true codes"), *candidates = gw_codes(in[3], "candidates");
    mwSize count = mxGetN(in[1]);
    mxArray *flags = mxCreateNumericMatrix(DLTF_FLAG_COUNT, count, mxUINT8_CLASS, mxREAL);
    GW_RUN(dltf_bind_samples_certify(model, X, known, candidates, options, gw_report, NULL, mxGetData(flags),
                                     DLTF_FLAG_COUNT));
    out[1] = mxCreateStructMatrix(1, 1, 0, NULL);
    for (int f = 0; f < DLTF_FLAG_COUNT; f++) {
        mxArray *shown = mxCreateLogicalMatrix(1, count);
        for (mwSize i = 0; i < count; i++)
            mxGetLogicals(shown)[i] = ((const uint8_t *)mxGetData(flags))[i * DLTF_FLAG_COUNT + f] != 0;
        mxSetFieldByNumber(out[1], 0, mxAddField(out[1], dltf_flag_name((dltf_flag)f)), shown);
    }
}
