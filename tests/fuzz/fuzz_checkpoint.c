/* Checkpoints, whose content must not be trusted. `DLTF_FUZZ_SEEDS=DIR fuzz_checkpoint -runs=0` writes the
 * corpus: a checkpoint in each stage. */
#include "fuzz.h"

#include "io/formats/safetensors.h"
#include "learning/learner.h"

#include <math.h>
#include <stdio.h>

static int stop_at_once(void *context, const dltf_progress *progress) {
    (void)context;
    (void)progress;
    return 1;
}

/* Writes a checkpoint in every stage, and one at the end, to DIRECTORY/NAME-STAGE. */
static void write_stages(const char *directory, const char *name, dltf_train_options options) {
    options.m = 4;
    options.k = 2;
    options.threads = 1;
    dltf_learner *learner = NULL;
    dltf_outcome outcome = DLTF_INTERRUPTED;
    fuzz_require(dltf_learner_new(fuzz_samples(), NULL, &options, &learner) == DLTF_OK);
    while (outcome == DLTF_INTERRUPTED) {
        char path[1024];
        fuzz_require(dltf_learner_run(learner, stop_at_once, NULL, &outcome) == DLTF_OK);
        snprintf(path, sizeof path, "%s/%s-%s", directory, name,
                 outcome == DLTF_INTERRUPTED ? learner->stages[learner->stage]->name : "end");
        if (learner->index == 1 || outcome != DLTF_INTERRUPTED)
            fuzz_require(dltf_learner_save(learner, path) == DLTF_OK);
    }
    dltf_learner_free(learner);
}

static void write_seeds(const char *directory) {
    dltf_train_options tied = dltf_train_options_default(), distilled = tied, ksvd = tied;
    tied.encoder = DLTF_ENCODER_TIED;
    tied.steps = tied.iterations = tied.admm = 2;
    distilled.encoder = DLTF_ENCODER_DISTILLED;
    distilled.steps = distilled.polish = 2;
    ksvd.method = DLTF_METHOD_KSVD;
    ksvd.iterations = 2;
    write_stages(directory, "tied", tied);
    write_stages(directory, "distilled", distilled);
    write_stages(directory, "ksvd", ksvd);
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
        status = dl_checkpoint_restore(&bundle, fuzz_samples(), 1, NULL, &learner);
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
