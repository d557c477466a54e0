/* Checkpoints of networks, whose content must not be trusted. `DLTF_FUZZ_SEEDS=DIR fuzz_training -runs=0`
 * writes the corpus. */
#include "fuzz.h"

#include "io/formats/safetensors.h"
#include "network/training.h"
#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = FUZZ_SAMPLES, n = FUZZ_COLUMNS, CLASSES = 2 };

static int32_t labels[N];

static dltf_matrix data(void) {
    for (int i = 0; i < N; i++)
        labels[i] = i % 3 == 0;
    return fuzz_samples();
}

static int stop_after(void *context, const dltf_progress *progress) {
    return progress->done >= *(const int64_t *)context;
}

/* A checkpoint after `done` samples. */
static void write_seed(const char *directory, const char *name, int64_t done, dl_network_options options) {
    char path[1024];
    dl_layer_view layers[2] = {{.inputs = n, .outputs = 4, .activation = DL_ACTIVATION_RELU, .k = 3},
                               {.inputs = 4, .outputs = CLASSES}};
    dl_network *network = NULL;
    dl_training *training = NULL;
    dltf_outcome outcome;
    options.batch = 4;
    options.epochs = 3;
    options.threads = 1;
    dl_targets targets = {.labels = labels};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    fuzz_require(dl_network_new(layers, 2, 0, &network) == DLTF_OK);
    fuzz_require(dl_training_new(network, data(), targets, &options, &training) == DLTF_OK);
    fuzz_require(dl_training_run(training, stop_after, &done, &outcome) == DLTF_OK);
    fuzz_require(dl_training_save(training, path) == DLTF_OK);
    dl_training_free(training);
    dl_network_free(network);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    const char *directory = getenv("DLTF_FUZZ_SEEDS");
    dl_network_options plain = dl_network_options_default(), all = plain;
    (void)argc;
    (void)argv;
    all.optimiser = DL_OPTIMISER_ADAM;
    all.rate = 0.001;
    all.average = 0.5;
    all.held_out = 0.25;
    if (directory) {
        write_seed(directory, "first-epoch", 4, plain);
        write_seed(directory, "later", N + 4, all);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_bundle bundle;
    dl_training *training = NULL;
    dltf_outcome outcome;
    int64_t one = 1;
    dltf_status status = dl_safetensors_parse(bytes, (int64_t)size, &bundle);
    if (status == DLTF_OK)
        status = dl_training_from_bundle(&bundle, data(), (dl_targets){.labels = labels}, 1, &training);
    fuzz_check_message(status);
    fuzz_require((status == DLTF_OK) == (training != NULL));
    if (training)
        fuzz_check_message(dl_training_run(training, stop_after, &one, &outcome));
    dl_training_free(training);
    dl_bundle_free(&bundle);
    return 0;
}
