/* An optimiser: how weights follow their gradient. A function in optimiser.c and a row of DL_OPTIMISERS. */
#ifndef DL_NETWORK_OPTIMISER_H
#define DL_NETWORK_OPTIMISER_H

#include "base/status.h"
#include "network/networks.h"

enum { DL_MOST_MOMENTS = 2 };

/* A step: its number, from 1, and the settings that apply to it. */
typedef struct dl_step {
    int64_t number;
    double rate, momentum;
    double decay; /* of weights: decay/2 ||V||^2 is added to the loss */
} dl_step;

typedef struct dl_optimiser {
    const char *name;
    int moments; /* running averages per weight, zero at the start */
    /* Changes n weights. moments[a]: their averages. */
    void (*update)(const dl_step *step, int64_t n, float *weights, const float *gradient,
                   float *const moments[DL_MOST_MOMENTS]);
} dl_optimiser;

const dl_optimiser *dl_optimiser_find(dl_optimiser_kind optimiser);

#endif
