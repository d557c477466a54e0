/* Weights that know nothing of the samples. */
#include "base/memory.h"
#include "pretrain/pretrain.h"

static dltf_status make(const dl_start_job *job, dltf_network **layer) {
    dltf_layer shape = {.inputs = job->X.cols, .outputs = job->m, .activation = DLTF_ACTIVATION_RELU};
    return dltf_network_new(&shape, 1, job->options->seed, layer);
}

const dl_start dl_start_random = {"random", DLTF_SCALING_NONE, false, make};

/* The same, for the scaling of a dictionary. */
const dl_start dl_start_gaussian = {"gaussian", DLTF_SCALING_RMS, false, make};
