/* Stacked autoencoders (Vincent et al. 2010; Xie, Girshick, Farhadi 2016): layer by layer, each pair of
 * layers as an autoencoder with one hidden layer on the outputs of the layers before. */
#include "base/memory.h"
#include "base/meter.h"
#include "data/matrix.h"
#include "network/network.h"

#include <string.h>

/* The layers of an autoencoder: `depth` up and `depth` down, without weights. */
static void shape_layers(const int64_t *sizes, int64_t depth, bool relu_code, dl_layer_view *layers) {
    for (int64_t l = 0; l < depth; l++) {
        dl_activation_kind code = l + 1 < depth || relu_code ? DL_ACTIVATION_RELU : DL_ACTIVATION_LINEAR;
        dl_activation_kind back = l > 0 ? DL_ACTIVATION_RELU : DL_ACTIVATION_LINEAR;
        layers[l] = (dl_layer_view){.inputs = sizes[l], .outputs = sizes[l + 1], .activation = code};
        layers[2 * depth - 1 - l] =
            (dl_layer_view){.inputs = sizes[l + 1], .outputs = sizes[l], .activation = back};
    }
}

/* Progress of all pairs as that of one task. */
typedef struct pair_progress {
    dl_meter meter;
    int64_t before; /* samples of the pairs before */
} pair_progress;

static int report(void *context, const dltf_progress *progress) {
    pair_progress *p = context;
    return dl_meter_add(&p->meter, p->before + progress->done - p->meter.done) ? 0 : 1;
}

/* Trains layers l and its mirror image on `samples`, the outputs of the layers before, and replaces these by
 * the outputs of layer l. */
static dltf_status train_pair(dl_network *network, int64_t l, const dl_network_options *options,
                              pair_progress *progress, int64_t N, float **samples) {
    dl_layer_view layers[2] = {dl_network_layer(network, l),
                               dl_network_layer(network, network->count - 1 - l)};
    dltf_matrix X = dltf_matrix_f32(*samples, N, layers[0].inputs);
    dl_network *pair = NULL, *up = NULL;
    dl_network_options o = *options;
    float *outputs = NULL;
    dltf_status status = DLTF_OK;
    o.loss = DL_LOSS_SQUARE;
    o.seed += l;
    DL_TRY(dl_network_new(layers, 2, 0, &pair));
    DL_TRY(dl_network_train(pair, X, (dl_targets){NULL, X}, &o, report, progress, NULL));
    progress->before = progress->meter.done;
    DL_TRY(dl_network_part(pair, 0, 1, &up));
    DL_TRY_NEW(outputs, N * layers[0].outputs);
    DL_TRY(dl_network_apply(up, X, o.threads, outputs));
    for (int side = 0; side < 2; side++) {
        const dl_layer *trained = &pair->layers[side];
        float *to = network->layers[side == 0 ? l : network->count - 1 - l].V;
        memcpy(to, trained->V, (size_t)(trained->outputs * (trained->inputs + 1)) * sizeof *to);
    }
    dl_free(*samples);
    *samples = outputs;
    outputs = NULL;
done:
    dl_network_free(pair);
    dl_network_free(up);
    dl_free(outputs);
    return status;
}

static dltf_status train_pairs(dl_network *network, dltf_matrix X, const dl_network_options *options,
                               dltf_progress_fn progress, void *context) {
    int64_t depth = network->count / 2;
    pair_progress p = {dl_meter_new("pre-training", progress, context, depth * options->epochs * X.rows), 0};
    float *samples = NULL;
    dltf_status status = dl_network_check_data(network, X);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(samples, X.rows * X.cols);
    for (int64_t i = 0; i < X.rows; i++)
        dltf_matrix_row(X, i, samples + i * X.cols);
    for (int64_t l = 0; l < depth; l++)
        DL_TRY(train_pair(network, l, options, &p, X.rows, &samples));
done:
    dl_free(samples);
    return status;
}

dltf_status dl_autoencoder_new(dltf_matrix X, const int64_t *sizes, int64_t count, bool relu_code,
                               const dl_network_options *options, dltf_progress_fn progress, void *context,
                               dl_network **network) {
    DL_CLEAR(network);
    DL_REQUIRE(sizes, network);
    dl_layer_view layers[DL_MOST_LAYERS];
    dl_network *made = NULL;
    dl_network_options defaults = dl_network_options_default();
    options = options ? options : &defaults;
    dltf_status status = dl_option_check(dl_network_option_table(), options, NULL);
    if (status != DLTF_OK)
        return status;
    if (count < 2 || count > DL_MOST_LAYERS / 2)
        return dl_fail(DLTF_ARGUMENT, "%lld sizes: an autoencoder has 2 to %d, with that of the input",
                       (long long)count, DL_MOST_LAYERS / 2);
    shape_layers(sizes, count - 1, relu_code, layers);
    status = dl_network_new(layers, 2 * (count - 1), options->seed, &made);
    if (status == DLTF_OK)
        status = train_pairs(made, X, options, progress, context);
    if (status == DLTF_OK)
        *network = made;
    else
        dl_network_free(made);
    return status;
}
