/* Uses what hostile files contain: a checkpoint is restored and iterated, a model codes samples and decodes
 * them. Whatever comes out is valid and finite, or there is a message. */
#include "fuzz.h"

#include "io/formats/safetensors.h"
#include "learning/learner.h"

#include <math.h>

enum { MAX_SIZE = 32, ROWS = 4, ITERATIONS = 3 };

#define CODER(NAME, name, help) DLTF_CODER_##NAME,
static const dltf_coder coders[] = {DLTF_CODERS(CODER)};

static int stop_after(void *context, const dltf_progress *progress) {
    (void)progress;
    return ++*(int *)context >= ITERATIONS;
}

/* Ordinary, zero, huge and tiny samples. */
static dltf_matrix samples(int64_t n) {
    static const float scale[ROWS] = {1, 0, 1e38f, 1e-40f};
    static float X[ROWS * MAX_SIZE];
    for (int64_t i = 0; i < ROWS * n; i++)
        X[i] = scale[i / n] * (float)(i * 5 % 7 - 3) / 3;
    return dltf_matrix_f32(X, ROWS, n);
}

static void check_codes(const dltf_codes *codes, int64_t m) {
    dltf_csr csr = dltf_codes_csr(codes);
    fuzz_require(csr.rows == ROWS && csr.cols == m && csr.indptr[0] == 0);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++) {
            fuzz_require(csr.indices[e] >= 0 && csr.indices[e] < m && isfinite(csr.values[e]));
            fuzz_require(e == csr.indptr[i] || csr.indices[e - 1] < csr.indices[e]);
        }
}

static void decode(const dltf_model *model, dltf_matrix X, const dltf_codes *codes) {
    float decoded[ROWS * MAX_SIZE];
    double error;
    dltf_status status = dltf_decode(model, codes, decoded);
    fuzz_check_message(status);
    for (int64_t i = 0; status == DLTF_OK && i < ROWS * X.cols; i++)
        fuzz_require(isfinite(decoded[i]));
    status = dltf_reconstruction_error(model, X, codes, &error);
    fuzz_check_message(status);
    fuzz_require(status != DLTF_OK || error >= 0);
}

/* With every coder. Huge samples alone, since a failure of one is a failure of all. */
static void use(const dltf_model *model) {
    dltf_model_view view = dltf_model_get(model);
    if (view.m > MAX_SIZE || view.n > MAX_SIZE)
        return;
    dltf_encode_options options = dltf_encode_options_default();
    options.threads = 1;
    dltf_matrix X = samples(view.n);
    for (size_t i = 0; i < sizeof coders / sizeof *coders; i++) {
        dltf_codes *codes = NULL;
        options.coder = coders[i];
        options.refit = i % 2 == 1;
        dltf_status status = dltf_encode(model, X, &options, NULL, NULL, &codes);
        fuzz_check_message(status);
        fuzz_require((status == DLTF_OK) == (codes != NULL));
        if (codes) {
            check_codes(codes, view.m);
            decode(model, X, codes);
        }
        dltf_codes_free(codes);
    }
}

static dltf_status resume(const dl_bundle *bundle, dltf_model **model) {
    dltf_learner *learner = NULL;
    dltf_outcome outcome;
    int done = 0;
    dltf_status status = dl_checkpoint_restore(bundle, fuzz_samples(), 1, NULL, &learner);
    if (status == DLTF_OK)
        status = dltf_learner_run(learner, stop_after, &done, &outcome);
    if (status == DLTF_OK)
        status = dltf_learner_model(learner, model);
    dltf_learner_free(learner);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_bundle bundle;
    dltf_model *model = NULL;
    if (dl_safetensors_parse(bytes, (int64_t)size, &bundle) == DLTF_OK) {
        if (dltf_model_read(bytes, (int64_t)size, &model) != DLTF_OK)
            fuzz_check_message(resume(&bundle, &model));
        if (model)
            use(model);
    }
    dltf_model_free(model);
    dl_bundle_free(&bundle);
    return 0;
}
