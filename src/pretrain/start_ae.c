/* The encoder of an autoencoder with one hidden layer of ReLU and a linear output, trained by Adam. With
 * dropout of its inputs it learns to restore them: a denoising autoencoder (Vincent et al. 2010). */
#include "pretrain/pretrain.h"

static dltf_status make(const dl_start_job *job, dl_network **layer) {
    const dl_pretrain_options *options = job->options;
    dl_network_options o = dl_network_options_default();
    dl_network *autoencoder = NULL;
    o.optimiser = DL_OPTIMISER_ADAM;
    o.rate = 0.001;
    o.epochs = options->epochs;
    o.dropout = options->dropout;
    o.input_dropout = options->input_dropout;
    o.seed = options->seed;
    o.threads = options->threads;
    dltf_status status = dl_autoencoder_new(job->X, (int64_t[]){job->X.cols, job->m}, 2, true, &o,
                                            job->progress, job->context, &autoencoder);
    if (status == DLTF_OK)
        status = dl_network_part(autoencoder, 0, 1, layer);
    dl_network_free(autoencoder);
    return status;
}

const dl_start dl_start_ae = {"ae", DL_SCALING_RMS, false, make};
