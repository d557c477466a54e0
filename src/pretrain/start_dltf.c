/* The atoms of a dictionary, learned from samples of norm 1, as weights. */
#include "data/matrix.h"
#include "data/model.h"
#include "network/network.h"
#include "pretrain/pretrain.h"

dltf_status dl_network_from_model(const dltf_model *model, dl_network **network) {
    DL_CLEAR(network);
    DL_REQUIRE(model, network);
    dltf_model_view view = dltf_model_get(model);
    dl_layer_view shape = {
        .inputs = view.n, .outputs = view.m, .activation = DL_ACTIVATION_RELU, .weights = view.dictionary};
    dltf_status status = dl_network_new(&shape, 1, 0, network);
    for (int64_t j = 0; status == DLTF_OK && (view.mean || view.offset) && j < view.m; j++) {
        double product = 0;
        for (int64_t i = 0; i < view.n; i++) {
            double mean = view.mean ? (double)view.mean[i] : 0,
                   offset = view.offset ? (double)view.offset[i] : 0;
            product += (double)view.dictionary[j * view.n + i] * (mean + offset);
        }
        (*network)->layers[0].b[j] = (float)-product;
    }
    return status;
}

static dltf_status make(const dl_start_job *job, dl_network **layer) {
    const dl_pretrain_options *options = job->options;
    dltf_train_options o = dltf_train_options_default();
    dltf_model *model = NULL;
    o.m = job->m;
    o.k = job->k;
    o.unit_norm = true;
    o.center = DLTF_NO; /* the inputs of the layer are not centered */
    o.encoder = options->encoder;
    if (o.encoder == DLTF_ENCODER_LEARNED || o.encoder == DLTF_ENCODER_BEST)
        o.epochs = (double)options->epochs;
    o.seed = options->seed;
    o.threads = options->threads;
    dltf_status status = dltf_train(job->X, &o, job->progress, job->context, &model);
    if (status == DLTF_OK)
        status = dl_network_from_model(model, layer);
    dltf_model_free(model);
    return status;
}

const dl_start dl_start_dltf = {"dltf", DL_SCALING_RMS, true, make};
