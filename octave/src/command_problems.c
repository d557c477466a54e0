/* Synthetic problems, and comparison of a dictionary and codes with the true ones. */
#include "gateway.h"

static mxArray *samples_matrix(const dltf_synthetic *problem, bool test) {
    dltf_matrix X = dltf_synthetic_samples(problem, test);
    mxArray *matrix = gw_single_matrix(X.cols, X.rows);
    for (int64_t i = 0; i < X.rows; i++)
        dltf_matrix_row(X, i, (float *)mxGetData(matrix) + i * X.cols);
    return matrix;
}

/* problem = synthetic (options) */
void gw_synthetic(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    static const char *const names[] = {"dictionary", "samples", "codes", "test_samples", "test_codes"};
    dltf_synthetic *problem = NULL;
    GW_RUN(dltf_bind_synthetic_new(gw_options("synthetic", in[0]), gw_report, NULL, &problem));
    gw_own(problem, gw_free_synthetic);
    dltf_matrix W = dltf_synthetic_dictionary(problem);
    mxArray *dictionary = gw_single_matrix(W.cols, W.rows);
    for (int64_t j = 0; j < W.rows; j++)
        dltf_matrix_row(W, j, (float *)mxGetData(dictionary) + j * W.cols);
    out[0] = mxCreateStructMatrix(1, 1, 5, (const char **)names);
    mxSetField(out[0], 0, "dictionary", dictionary);
    mxSetField(out[0], 0, "samples", samples_matrix(problem, false));
    mxSetField(out[0], 0, "codes", gw_codes_matrix(dltf_synthetic_codes(problem, false)));
    mxSetField(out[0], 0, "test_samples", samples_matrix(problem, true));
    mxSetField(out[0], 0, "test_codes", gw_codes_matrix(dltf_synthetic_codes(problem, true)));
}

/* [score, match, cosine] = match (W, W0, Z, Z0): match is 0 for atoms without a partner. */
void gw_match(int outputs, mxArray *out[], const mxArray *in[]) {
    dltf_values *score = NULL;
    const dltf_array *W = gw_array(in[0], "dictionary"), *truth = gw_array(in[1], "true dictionary");
    mwSize m = mxGetN(in[0]);
    int32_t *match = mxMalloc(m * sizeof *match);
    mxArray *cosine = gw_single_matrix(1, (int64_t)m);
    GW_RUN(dltf_bind_match(W, truth, match, mxGetData(cosine)));
    const dltf_codes *codes = gw_codes_required(in[2], "codes"),
                     *known = gw_codes_required(in[3], "true codes");
    if (dltf_codes_csr(codes).cols != (int64_t)m)
        gw_fail("data", "codes: %lld rows for %lld atoms", (long long)dltf_codes_csr(codes).cols,
                (long long)m);
    GW_RUN(dltf_bind_supports_score(codes, known, match, &score));
    gw_own(score, gw_free_values);
    out[0] = gw_values_struct(score);
    if (outputs > 1) {
        out[1] = mxCreateDoubleMatrix(1, m, mxREAL);
        for (mwSize j = 0; j < m; j++)
            mxGetPr(out[1])[j] = match[j] + 1;
    }
    if (outputs > 2)
        out[2] = cosine;
}
