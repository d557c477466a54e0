/* Shared by the tests of coders: models, samples and codes. */
#ifndef TEST_CODERS_H
#define TEST_CODERS_H

#include "coding/coder.h"

#include "test_learning.h"

enum { MOST_N = 400, MOST_n = 40, MOST_m = 90 };

static float W[MOST_m * MOST_n], X[MOST_N * MOST_n];

/* All but threshold; the first four are iterative. */
static const dltf_coder coders[] = {DLTF_CODER_OMP, DLTF_CODER_IHT,        DLTF_CODER_NIHT,
                                    DLTF_CODER_HTP, DLTF_CODER_INCOHERENT, DLTF_CODER_SHORTLIST};
enum { ITERATIVE = 4, CODERS = sizeof coders / sizeof *coders };

static inline dltf_model *new_model(const float *dictionary, int64_t m, int64_t n, int64_t k) {
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = m, .n = n, .k = k, .dictionary = dictionary};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

static inline dltf_codes *encode(const dltf_model *model, int64_t N, dltf_encode_options encoding) {
    dltf_codes *codes = NULL;
    dltf_matrix data = dltf_matrix_f32(X, N, dltf_model_get(model).n);
    if (dltf_encode(model, data, &encoding, NULL, NULL, &codes) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return codes;
}

/* Samples that are sums of k random atoms, with noise. */
static inline void fill_sparse(const dltf_model *model, int64_t N, int64_t k, double noise) {
    dltf_model_view v = dltf_model_get(model);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t d = 0; d < v.n; d++)
            X[i * v.n + d] = (float)(noise * normal());
        for (int64_t e = 0; e < k; e++) {
            const float *w = v.dictionary + below(v.m) * v.n;
            float z = (float)normal();
            for (int64_t d = 0; d < v.n; d++)
                X[i * v.n + d] += z * w[d];
        }
    }
}

static inline void dense_row(dltf_csr csr, int64_t i, double *z) {
    memset(z, 0, (size_t)csr.cols * sizeof *z);
    for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++)
        z[csr.indices[e]] = (double)csr.values[e];
}

static inline double error_of(const dltf_model *model, int64_t N, dltf_encode_options encoding) {
    dltf_codes *codes = encode(model, N, encoding);
    double relative = 0;
    dltf_matrix data = dltf_matrix_f32(X, N, dltf_model_get(model).n);
    assert_int_equal(dltf_reconstruction_error(model, data, codes, &relative), DLTF_OK);
    dltf_codes_free(codes);
    return relative;
}

#endif
