/* Checkpoints of online learners, whose content must not be trusted. `DLTF_FUZZ_SEEDS=DIR fuzz_online
 * -runs=0` writes the corpus. */
#include "fuzz.h"

#include "io/formats/safetensors.h"
#include "learning/online/online.h"

#include <math.h>
#include <stdio.h>

static dltf_online *learner(bool center) {
    dltf_train_options options = dltf_train_options_default();
    dltf_online *online = NULL;
    options.m = 4;
    options.k = 2;
    options.threads = 1;
    options.center = center ? DLTF_YES : DLTF_NO;
    fuzz_require(dltf_online_new(FUZZ_COLUMNS, NULL, &options, &online) == DLTF_OK);
    fuzz_require(dltf_online_add(online, fuzz_samples()) == DLTF_OK);
    return online;
}

static void write_seeds(const char *directory) {
    char path[1024];
    for (int learned = 0; learned < 2; learned++) {
        dltf_online *online = learner(learned);
        if (learned) {
            fuzz_require(dl_online_learn(online) == DLTF_OK);
            fuzz_require(dltf_online_add(online, fuzz_samples()) == DLTF_OK);
        }
        snprintf(path, sizeof path, "%s/%s", directory, learned ? "later" : "first-buffer");
        fuzz_require(dltf_online_save(online, path) == DLTF_OK);
        dltf_online_free(online);
    }
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
    dltf_online *online = NULL;
    dltf_model *model = NULL;
    dltf_status status = dl_safetensors_parse(bytes, (int64_t)size, &bundle);
    if (status == DLTF_OK)
        status = dl_online_from_bundle(&bundle, 1, &online);
    fuzz_check_message(status);
    fuzz_require((status == DLTF_OK) == (online != NULL));
    if (online && online->n == FUZZ_COLUMNS)
        fuzz_check_message(dltf_online_add(online, fuzz_samples()));
    if (online && online->m * online->k < 1000 && dltf_online_model(online, &model) == DLTF_OK) {
        dltf_model_view view = dltf_model_get(model);
        for (int64_t i = 0; i < view.m * view.n; i++)
            fuzz_require(isfinite(view.dictionary[i]) && isfinite(view.encoder[i]));
    }
    dltf_model_free(model);
    dltf_online_free(online);
    dl_bundle_free(&bundle);
    return 0;
}
