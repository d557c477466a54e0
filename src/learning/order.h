/* The order of the training samples in an epoch: random, but such that a file larger than memory is read in
 * large pieces. Samples are cut into chunks of neighbours; chunks are shuffled and grouped into windows, and
 * the samples of a window are shuffled. Smaller data are shuffled as a whole. */
#ifndef DL_LEARNING_ORDER_H
#define DL_LEARNING_ORDER_H

#include "base/random.h"
#include "learning/learner.h"

typedef struct dl_order {
    dl_random random;
    int64_t N;
    int64_t chunk;  /* samples */
    int64_t chunks; /* complete ones; samples after the last come at the end of every epoch */
    bool whole;     /* all samples are one window: an epoch is a permutation of them */
} dl_order;

enum { DL_WINDOW_CHUNKS = 128 };

dl_order dl_order_new(const dltf_learner *l, uint32_t stream);

/* The sample at a position of an epoch. */
int64_t dl_order_sample(const dl_order *order, int64_t epoch, int64_t position);

/* Samples from `position` on are needed next: announces what a source should read ahead. */
void dl_order_expect(const dl_order *order, const dltf_learner *l, int64_t epoch, int64_t position,
                     int64_t count);

#endif
