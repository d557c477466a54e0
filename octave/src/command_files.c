/* Files of the program: models, hashers, codes and matrices. */
#include "gateway.h"

void gw_model_load(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    dltf_model *model = NULL;
    gw_check(dltf_model_load(gw_text(in[0], "path"), &model));
    gw_own(model, gw_free_model);
    out[0] = gw_model_struct(model);
}

void gw_model_save(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    (void)out;
    gw_check(dltf_model_save(gw_model_required(in[0]), gw_text(in[1], "path")));
}

void gw_codes_load(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    dltf_codes *codes = NULL;
    gw_check(dltf_codes_load(gw_text(in[0], "path"), &codes));
    gw_own(codes, gw_free_codes);
    out[0] = gw_codes_matrix(codes);
}

void gw_codes_save(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    (void)out;
    gw_check(dltf_codes_save(gw_codes_required(in[0], "codes"), gw_text(in[1], "path")));
}

/* X = matrix_load (path): single, a column per sample. */
void gw_matrix_load(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    dltf_array *array = NULL;
    GW_RUN(dltf_array_load(gw_text(in[0], "path"), &array));
    gw_own(array, gw_free_array);
    dltf_matrix X = dltf_array_matrix(array);
    out[0] = gw_single_matrix(X.cols, X.rows);
    gw_check(dltf_array_rows(array, 0, X.rows, mxGetData(out[0])));
}

void gw_matrix_save(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    (void)out;
    gw_check(dltf_bind_matrix_save(gw_array(in[0], "data"), gw_text(in[1], "path")));
}

void gw_version(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)in;
    out[0] = mxCreateString(dltf_version());
    if (outputs > 1)
        out[1] = mxCreateString(dltf_build());
}
