/* Inverted dropout: each output of a layer is set to 0 with probability p, the others are scaled by 1/(1-p).
 * Random numbers depend on the seed, the layer, the step, the sample and the unit alone, so that the backward
 * pass draws the same ones again instead of storing them. */
#ifndef DL_NETWORK_DROPOUT_H
#define DL_NETWORK_DROPOUT_H

#include "network/layer.h"

typedef struct dl_dropout {
    uint64_t seed;
    uint32_t stream;   /* of the layer */
    int32_t threshold; /* p in units of 2^-16; 0: no dropout */
    float scale;       /* 1 / (1 - p) */
    int64_t width;     /* units of the layer */
} dl_dropout;

/* p in 0 .. 1 - 2^-16, rounded to 16 bits. `layer` 0 is the input of the network. */
dl_dropout dl_dropout_new(double p, uint64_t seed, int64_t layer, int64_t width);

/* Applies it to the columns `units`, a tile, of Y (rows x width): to outputs, or to a gradient with respect
 * to them. `first`: number of the first row, counted over all steps. */
void dl_dropout_apply(const dl_dropout *dropout, uint64_t first, int64_t rows, dl_range units, float *Y);

#endif
