/* max_k of the outputs of a layer: all but the k largest magnitudes of a sample become 0; of equal ones the
 * first is kept. */
#ifndef DL_NETWORK_KEEP_H
#define DL_NETWORK_KEEP_H

#include "network/network.h"

/* Work space of every thread. */
typedef struct dl_keep {
    int64_t width;
    uint32_t *keys;
    int32_t *index;
    float *value;
} dl_keep;

/* Allocates nothing if all layers of the network keep all outputs. */
dltf_status dl_keep_alloc(dl_keep *keep, const dl_network *network, int threads);
void dl_keep_free(dl_keep *keep);

/* Applies it to `rows` outputs of a layer, which must have a k. */
void dl_keep_apply(const dl_keep *keep, int worker, const dl_layer *layer, int64_t rows, float *Y);

/* The gradient: `delta` becomes 0 where the output y was not kept. */
void dl_keep_slope(float *delta, const float *y, int64_t n);

#endif
