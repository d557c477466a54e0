/* The internals of a network. */
#ifndef DL_NETWORK_NETWORK_H
#define DL_NETWORK_NETWORK_H

#include "network/layer.h"

enum { DL_MOST_LAYERS = 100 };

struct dl_network {
    int64_t count;
    dl_layer *layers;
    float *values;    /* weights and bias of every layer, one after the other */
    int64_t size;     /* of values */
    float scale;      /* of the inputs */
    int64_t *classes; /* labels of the outputs, ascending; NULL: none */
};

/* An uninitialised network of the given shapes. */
dltf_status dl_network_alloc(const dl_layer_view *layers, int64_t count, dl_network **network);

int64_t dl_network_inputs(const dl_network *network);
int64_t dl_network_outputs(const dl_network *network);
/* Entries of the widest row that passes through the network. */
int64_t dl_network_width(const dl_network *network);

/* Row `row` of X as input of the network: scaled. */
void dl_network_input(const dl_network *network, dltf_matrix X, int64_t row, float *input);

/* The output that is largest for each row of X, the first of equals. `probabilities`: N x outputs, or NULL.
 */
dltf_status dl_network_classify(const dl_network *network, dltf_matrix X, int64_t threads, int32_t *numbers,
                                float *probabilities);

/* Fails if samples of this size and type cannot be the input, or one of them is not finite. */
dltf_status dl_network_check_data(const dl_network *network, dltf_matrix X);

#endif
