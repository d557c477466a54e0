/* Shared by the tests of networks: small random networks, and plain loops in double as an oracle. */
#ifndef TEST_NETWORK_H
#define TEST_NETWORK_H

#include "test_util.h"

#include "network/dropout.h"
#include "network/network.h"
#include "program/program.h"

#include <math.h>

enum { MOST_WIDTH = 300 };

/* A network of these sizes: ReLU but for the last layer, with random biases. Hidden layers keep k outputs, if
 * k is not 0; then those of an even number are linear. */
static inline dl_network *make_sparse_network(const int64_t *sizes, int64_t layers, int64_t k, int64_t seed) {
    dl_layer_view shapes[8];
    float bias[8][MOST_WIDTH];
    dl_network *network = NULL;
    for (int64_t l = 0; l < layers; l++) {
        fill_normal(bias[l], sizes[l + 1]);
        shapes[l] = (dl_layer_view){.inputs = sizes[l],
                                    .outputs = sizes[l + 1],
                                    .activation = l + 1 < layers && (k == 0 || l % 2) ? DL_ACTIVATION_RELU
                                                                                      : DL_ACTIVATION_LINEAR,
                                    .bias = bias[l],
                                    .k = l + 1 < layers ? k : 0};
    }
    assert_int_equal(dl_network_new(shapes, layers, seed, &network), DLTF_OK);
    return network;
}

static inline dl_network *make_network(const int64_t *sizes, int64_t layers, int64_t seed) {
    return make_sparse_network(sizes, layers, 0, seed);
}

/* Sets all but the k largest magnitudes to 0. */
static inline void reference_keep(double *y, int64_t n, int64_t k) {
    double kept[MOST_WIDTH] = {0};
    for (int64_t i = 0; i < k; i++) {
        int64_t best = 0;
        for (int64_t j = 1; j < n; j++)
            if (fabs(y[j]) > fabs(y[best]))
                best = j;
        if (y[best] == 0)
            break;
        kept[best] = y[best];
        y[best] = 0;
    }
    memcpy(y, kept, (size_t)n * sizeof *y);
}

/* The output y of one sample; values: weights and biases as in the network. mask[l]: factors on the outputs
 * of layer l (0: on the input), or NULL for none. */
static inline void reference_forward(const dl_network *network, const double *values, const double *x,
                                     double *const *mask, double *y) {
    double in[MOST_WIDTH], out[MOST_WIDTH];
    int64_t count = network->layers[0].inputs;
    for (int64_t j = 0; j < count; j++)
        in[j] = x[j] * (mask ? mask[0][j] : 1);
    for (int64_t l = 0; l < network->count; l++) {
        const dl_layer *layer = &network->layers[l];
        const double *V = values + (layer->V - network->values), *b = values + (layer->b - network->values);
        for (int64_t j = 0; j < layer->outputs; j++) {
            double sum = b[j];
            for (int64_t i = 0; i < layer->inputs; i++)
                sum += V[j * layer->inputs + i] * in[i];
            if (layer->activation == &dl_activation_relu)
                sum = sum > 0 ? sum : 0;
            out[j] = sum;
        }
        if (layer->k > 0)
            reference_keep(out, layer->outputs, layer->k);
        for (int64_t j = 0; mask && j < layer->outputs; j++)
            out[j] *= mask[l + 1][j];
        memcpy(in, out, sizeof in);
    }
    memcpy(y, out, (size_t)network->layers[network->count - 1].outputs * sizeof *y);
}

static inline double reference_softmax(const double *y, int64_t n, int64_t label) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += exp(y[j]);
    return log(sum) - y[label];
}

static inline double reference_square(const double *y, const double *t, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += (y[j] - t[j]) * (y[j] - t[j]) / 2;
    return sum;
}

#endif
