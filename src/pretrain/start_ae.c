/* The encoder of an autoencoder with one hidden layer of ReLU and a linear output, trained by Adam. With
 * dropout of its inputs it learns to restore them: a denoising autoencoder (Vincent et al. 2010). */
#include "pretrain/pretrain.h"

static dltf_status make(const dl_start_job *job, dltf_network **layer) {
    const dltf_pretrain_options *options = job->options;
    dltf_network_options o = dltf_network_options_default();
    dltf_network *autoencoder = NULL;
    o.optimiser = DLTF_OPTIMISER_ADAM;
    o.rate = 0.001;
    o.epochs = options->epochs;
    o.dropout = options->dropout;
    o.input_dropout = options->input_dropout;
    o.seed = options->seed;
    o.threads = options->threads;
    dltf_status status = dltf_autoencoder_new(job->X, (int64_t[]){job->X.cols, job->m}, 2, true, &o,
                                              job->progress, job->context, &autoencoder);
    if (status == DLTF_OK)
        status = dltf_network_part(autoencoder, 0, 1, layer);
    dltf_network_free(autoencoder);
    return status;
}

const dl_start dl_start_ae = {"ae", DLTF_SCALING_RMS, false, make};
