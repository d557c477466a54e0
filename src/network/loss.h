/* A loss: a function in loss.c and a row of DL_LOSSES. */
#ifndef DL_NETWORK_LOSS_H
#define DL_NETWORK_LOSS_H

#include "base/status.h"
#include "network/networks.h"

typedef struct dl_loss {
    const char *name;
    bool labels; /* a target is an int32_t label, otherwise n floats */
    /* The loss of an output y (n), and `scale` times its gradient. */
    double (*row)(const float *y, const void *target, int64_t n, float scale, float *gradient);
} dl_loss;

const dl_loss *dl_loss_find(dl_loss_kind loss);

#endif
