/* Weights that know nothing of the samples. */
#include "base/memory.h"
#include "pretrain/pretrain.h"

static dltf_status make(const dl_start_job *job, dl_network **layer) {
    dl_layer_view shape = {.inputs = job->X.cols, .outputs = job->m, .activation = DL_ACTIVATION_RELU};
    return dl_network_new(&shape, 1, job->options->seed, layer);
}

const dl_start dl_start_random = {"random", DL_SCALING_NONE, false, make};

/* The same, for the scaling of a dictionary. */
const dl_start dl_start_gaussian = {"gaussian", DL_SCALING_RMS, false, make};
