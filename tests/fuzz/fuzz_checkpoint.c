/* Checkpoints of an unfinished training: what a file says must not be believed. The data are fixed, so that
 * the checksum of the corpus files fits. `DLTF_FUZZ_SEEDS=DIR fuzz_checkpoint -runs=0` writes the corpus: a
 * checkpoint in each stage. */
#include "fuzz.h"

#include "io/safetensors.h"
#include "learning/learner.h"

#include <math.h>
#include <stdio.h>

enum { N = 12, n = 3 };

static dltf_matrix data(void) {
    static float X[N * n];
    for (int i = 0; i < N * n; i++)
        X[i] = (float)((i * 7) % 11 - 5);
    return dltf_matrix_f32(X, N, n);
}

static int stop_at_once(void *context, const dltf_progress *progress) {
    (void)context;
    (void)progress;
    return 1;
}

/* After every iteration of stages first .. last, which have one each. */
static void write_stages(const char *directory, dltf_train_options options, int first, int last) {
    options.m = 4;
    options.k = 2;
    options.threads = 1;
    dltf_learner *learner = NULL;
    dltf_outcome outcome;
    fuzz_require(dltf_learner_new(data(), &options, NULL, &learner) == DLTF_OK);
    for (int stage = first; stage <= last; stage++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/stage%d", directory, stage);
        fuzz_require(dltf_learner_run(learner, stop_at_once, NULL, &outcome) == DLTF_OK);
        fuzz_require(dltf_learner_save(learner, path) == DLTF_OK);
    }
    dltf_learner_free(learner);
}

static void write_seeds(const char *directory) {
    dltf_train_options tied = dltf_train_options_default(), distilled = tied, ksvd = tied;
    tied.encoder = DLTF_ENCODER_TIED;
    tied.steps = tied.iterations = tied.admm = 1;
    distilled.encoder = DLTF_ENCODER_DISTILLED;
    distilled.steps = distilled.polish = 0;
    ksvd.method = DLTF_METHOD_KSVD;
    ksvd.iterations = 1;
    write_stages(directory, tied, DLTF_STAGE_MINIBATCH, DLTF_STAGE_ADMM);
    write_stages(directory, distilled, DLTF_STAGE_ENCODER, DLTF_STAGE_ENCODER);
    write_stages(directory, ksvd, DLTF_STAGE_KSVD, DLTF_STAGE_KSVD);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    if (getenv("DLTF_FUZZ_SEEDS"))
        write_seeds(getenv("DLTF_FUZZ_SEEDS"));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_bundle bundle;
    dltf_learner *learner = NULL;
    dltf_status status = dl_safetensors_parse(bytes, (int64_t)size, &bundle);
    if (status == DLTF_OK)
        status = dl_checkpoint_restore(&bundle, data(), 1, &learner);
    fuzz_check_message(status);
    fuzz_require((status == DLTF_OK) == (learner != NULL));
    dltf_outcome outcome;
    dltf_model *model = NULL;
    if (learner && dltf_learner_run(learner, stop_at_once, NULL, &outcome) == DLTF_OK &&
        dltf_learner_model(learner, &model) == DLTF_OK) {
        dltf_model_view view = dltf_model_get(model);
        for (int64_t i = 0; i < view.m * view.n; i++)
            fuzz_require(isfinite(view.dictionary[i]) && (!view.encoder || isfinite(view.encoder[i])));
    }
    dltf_model_free(model);
    dltf_learner_free(learner);
    dl_bundle_free(&bundle);
    return 0;
}
