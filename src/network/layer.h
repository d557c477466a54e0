/* A fully connected layer Y = f(X V^T + b): its output, and the gradients of a loss L with respect to its
 * input and its weights. Every function computes the columns or rows of one tile, so that tiles can be shared
 * out among threads; a tile is computed the same way on any of them.
 *
 * D is the gradient of L with respect to the sums X V^T + b, not to Y. */
#ifndef DL_NETWORK_LAYER_H
#define DL_NETWORK_LAYER_H

#include "base/status.h"
#include "network/networks.h"

/* Units of a tile, by whole rows of dropout's random numbers. */
enum { DL_UNITS = 128 };

/* An activation function f, by its output y = f(s). */
typedef struct dl_activation {
    const char *name;
    double variance;                                       /* of random weights, times the number of inputs */
    void (*apply)(float *y, const float *bias, int64_t n); /* y = f(y + bias) */
    void (*slope)(float *delta, const float *y, int64_t n); /* delta = delta f'(s) */
} dl_activation;

#define DL_DECLARE_ACTIVATION(NAME, name, help) extern const dl_activation dl_activation_##name;
DL_ACTIVATIONS(DL_DECLARE_ACTIVATION)
#undef DL_DECLARE_ACTIVATION

/* NULL if there is none of that number. */
const dl_activation *dl_activation_find(dl_activation_kind activation);

typedef struct dl_layer {
    int64_t inputs, outputs;
    const dl_activation *activation;
    int64_t k; /* outputs kept: see network/keep.h; 0: all */
    float *V;  /* outputs x inputs */
    float *b;  /* outputs */
} dl_layer;

/* Consecutive columns of a matrix. */
typedef struct dl_range {
    int64_t first, count;
} dl_range;

/* Tile `tile` of `total` units. */
dl_range dl_units(int64_t total, int64_t tile);

/* Y (rows x outputs) in the columns `units`, from X (rows x inputs), before max_k. */
void dl_layer_forward(const dl_layer *layer, const float *X, int64_t rows, dl_range units, float *Y);

/* Gradient with respect to X, in the columns `units` of DX (rows x inputs). */
void dl_layer_backward(const dl_layer *layer, const float *D, int64_t rows, dl_range units, float *DX);

/* Gradient with respect to the rows `units` of V, as units.count x inputs numbers, and to those entries of b.
 */
void dl_layer_gradient(const dl_layer *layer, const float *X, const float *D, int64_t rows, dl_range units,
                       float *DV, float *db);

#endif
