/* Networks: made from layers, read through views. */
#include "network/network.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/matrix.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* Activation and sizes of one layer, which must take what the one before gives. */
static dltf_status check_layer(const dl_layer_view *layers, int64_t index, int64_t *size) {
    const dl_layer_view *layer = &layers[index];
    if (!dl_activation_find(layer->activation))
        return dl_fail(DLTF_ARGUMENT, "layer %lld: unknown activation %d", (long long)index,
                       (int)layer->activation);
    if (layer->inputs < 1 || layer->outputs < 1 || layer->inputs > INT32_MAX || layer->outputs > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "layer %lld: %lld inputs and %lld outputs: both must be in 1 .. %d",
                       (long long)index, (long long)layer->inputs, (long long)layer->outputs, INT32_MAX);
    if (index > 0 && layer->inputs != layers[index - 1].outputs)
        return dl_fail(DLTF_ARGUMENT, "layer %lld has %lld inputs, but the layer before has %lld outputs",
                       (long long)index, (long long)layer->inputs, (long long)layers[index - 1].outputs);
    if (layer->k < 0 || layer->k > layer->outputs)
        return dl_fail(DLTF_ARGUMENT, "layer %lld keeps k = %lld of %lld outputs: out of range",
                       (long long)index, (long long)layer->k, (long long)layer->outputs);
    *size += layer->outputs * (layer->inputs + 1); /* a sum below 2^52 and a product below 2^63 - 2^52 */
    if (*size > INT64_C(1) << 52)
        return dl_fail(DLTF_ARGUMENT, "layer %lld: %lld inputs and %lld outputs are too many",
                       (long long)index, (long long)layer->inputs, (long long)layer->outputs);
    return DLTF_OK;
}

dltf_status dl_network_alloc(const dl_layer_view *layers, int64_t count, dl_network **network) {
    dl_network *made = NULL;
    dltf_status status = DLTF_OK;
    int64_t size = 0;
    if (count < 1 || count > DL_MOST_LAYERS)
        return dl_fail(DLTF_ARGUMENT, "%lld layers: a network has 1 to %d", (long long)count, DL_MOST_LAYERS);
    for (int64_t l = 0; l < count; l++)
        DL_TRY(check_layer(layers, l, &size));
    DL_TRY_NEW(made, 1);
    made->count = count;
    made->size = size;
    made->scale = 1;
    DL_TRY_NEW(made->layers, count);
    DL_TRY_NEW(made->values, size);
    float *next = made->values;
    for (int64_t l = 0; l < count; l++) {
        int64_t n = layers[l].inputs, m = layers[l].outputs;
        made->layers[l] =
            (dl_layer){n, m, dl_activation_find(layers[l].activation), layers[l].k, next, next + m * n};
        next += m * (n + 1);
    }
    *network = made;
    made = NULL;
done:
    dl_network_free(made);
    return status;
}

static dltf_status fill(float *to, const float *from, int64_t count, int64_t layer, const char *name) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(from[i]))
            return dl_fail(DLTF_DATA, "layer %lld: entry %lld of the %s is not finite", (long long)layer,
                           (long long)i, name);
    memcpy(to, from, (size_t)count * sizeof *to);
    return DLTF_OK;
}

dltf_status dl_network_new(const dl_layer_view *layers, int64_t count, int64_t seed, dl_network **network) {
    DL_CLEAR(network);
    DL_REQUIRE(layers, network);
    dl_network *made = NULL;
    dl_random random = {(uint64_t)seed, DL_STREAM_WEIGHTS};
    dltf_status status = dl_network_alloc(layers, count, &made);
    for (int64_t l = 0; l < count && status == DLTF_OK; l++) {
        dl_layer *layer = &made->layers[l];
        int64_t size = layer->outputs * layer->inputs;
        double sd = sqrt(layer->activation->variance / (double)layer->inputs);
        if (layers[l].weights)
            status = fill(layer->V, layers[l].weights, size, l, "weights");
        for (int64_t i = 0; !layers[l].weights && i < size; i++)
            layer->V[i] = (float)(sd * dl_random_normal(random, (uint64_t)(layer->V - made->values + i)));
        if (layers[l].bias && status == DLTF_OK)
            status = fill(layer->b, layers[l].bias, layer->outputs, l, "bias");
    }
    if (status == DLTF_OK)
        *network = made;
    else
        dl_network_free(made);
    return status;
}

void dl_network_free(dl_network *network) {
    if (!network)
        return;
    dl_free(network->layers);
    dl_free(network->values);
    dl_free(network->classes);
    dl_free(network);
}

int64_t dl_network_layers(const dl_network *network) {
    return network ? network->count : 0;
}

static dl_activation_kind activation_number(const dl_activation *activation) {
    int number = 0;
    while (dl_activation_find((dl_activation_kind)number) != activation)
        number++;
    return (dl_activation_kind)number;
}

dl_layer_view dl_network_layer(const dl_network *network, int64_t index) {
    if (!network || index < 0 || index >= network->count)
        return (dl_layer_view){0};
    const dl_layer *layer = &network->layers[index];
    return (dl_layer_view){layer->inputs, layer->outputs, activation_number(layer->activation),
                           layer->V,      layer->b,       layer->k};
}

dltf_status dl_network_part(const dl_network *network, int64_t first, int64_t count, dl_network **part) {
    DL_CLEAR(part);
    DL_REQUIRE(network, part);
    dl_layer_view layers[DL_MOST_LAYERS];
    if (first < 0 || count < 1 || first > network->count - count)
        return dl_fail(DLTF_ARGUMENT, "%lld layers from layer %lld on: the network has %lld layers",
                       (long long)count, (long long)first, (long long)network->count);
    for (int64_t l = 0; l < count; l++)
        layers[l] = dl_network_layer(network, first + l);
    dltf_status status = dl_network_new(layers, count, 0, part);
    if (status == DLTF_OK && first == 0)
        (*part)->scale = network->scale;
    if (status == DLTF_OK && network->classes && first + count == network->count)
        status = dl_network_set_classes(*part, network->classes);
    if (status != DLTF_OK) {
        dl_network_free(*part);
        *part = NULL;
    }
    return status;
}

int64_t dl_network_inputs(const dl_network *network) {
    return network->layers[0].inputs;
}

int64_t dl_network_outputs(const dl_network *network) {
    return network->layers[network->count - 1].outputs;
}

int64_t dl_network_width(const dl_network *network) {
    int64_t width = dl_network_inputs(network);
    for (int64_t l = 0; l < network->count; l++)
        width = dl_max(width, network->layers[l].outputs);
    return width;
}

void dl_network_input(const dl_network *network, dltf_matrix X, int64_t row, float *input) {
    dltf_matrix_row(X, row, input);
    if (network->scale != 1)
        dl_kernels_now()->combine32(input, network->scale, 0, input, X.cols);
}

dltf_status dl_network_check_data(const dl_network *network, dltf_matrix X) {
    dltf_status status = dl_matrix_check_memory(X, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    if (X.cols != dl_network_inputs(network))
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "%lld columns, but the network has %lld inputs",
                             (long long)X.cols, (long long)dl_network_inputs(network));
    return dl_matrix_check_single(X, DLTF_SUBJECT_DATA);
}
