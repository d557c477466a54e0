/* The internals of a network. */
#ifndef DL_NETWORK_NETWORK_H
#define DL_NETWORK_NETWORK_H

#include "network/layer.h"

enum { DL_MOST_LAYERS = 100 };

struct dltf_network {
    int64_t count;
    dl_layer *layers;
    float *values; /* weights and bias of every layer, one after the other */
    int64_t size;  /* of values */
};

/* An uninitialised network of the given shapes. */
dltf_status dl_network_alloc(const dltf_layer *layers, int64_t count, dltf_network **network);

int64_t dl_network_inputs(const dltf_network *network);
int64_t dl_network_outputs(const dltf_network *network);
/* Entries of the widest row that passes through the network. */
int64_t dl_network_width(const dltf_network *network);

/* Fails if samples of this size and type cannot be the input, or one of them is not finite. */
dltf_status dl_network_check_data(const dltf_network *network, dltf_matrix X);

#endif
