/* One step of training: outputs of a batch, gradients, new weights. All memory is allocated once. Work is
 * divided into tiles of fixed size and sums have a fixed order, so that the result is the same for any number
 * of threads. */
#ifndef DL_NETWORK_TRAINER_H
#define DL_NETWORK_TRAINER_H

#include "network/dropout.h"
#include "network/keep.h"
#include "network/optimiser.h"

/* Samples of a task that needs whole rows. */
enum { DL_TASK_ROWS = 16 };

typedef struct dl_trainer {
    dl_network *network;
    const dl_optimiser *optimiser;
    dl_network_options options;
    int threads;
    int64_t steps; /* made */

    /* The batch. Matrices of a layer are rows x its width; number 0 is the input of the network. */
    int64_t room, rows; /* samples: capacity, current number */
    float **Y;          /* outputs, after dropout */
    float **D;          /* gradients with respect to the sums of the layer */
    dl_dropout *dropout;
    bool undropped; /* forward and backward ignore dropout */
    dl_keep keep;

    float *moments[DL_MOST_MOMENTS]; /* as network->values */
    float *average;                  /* of the weights; NULL without */
    float *scratch;                  /* per thread: gradients of a tile */
    int64_t scratch_size;
    struct dl_update_tile *tiles; /* of all layers, for the update */
    int64_t tile_count;
} dl_trainer;

/* Borrows the network. Uses optimiser, momentum, dropout, max_norm, decay, average, batch, seed and threads
 * of the options. */
dltf_status dl_trainer_alloc(dl_trainer *t, dl_network *network, const dl_network_options *options);
void dl_trainer_free(dl_trainer *t);

/* Outputs of t->rows samples in t->Y[0], with dropout on all layers but the last. The caller applies that of
 * the input: dl_trainer_drop_inputs. */
void dl_trainer_forward(dl_trainer *t);

/* Applies dropout to the inputs of `count` samples from `first` on. */
void dl_trainer_drop_inputs(dl_trainer *t, int64_t first, int64_t count);

/* Gradients of all layers, from that of the last in t->D[count]: of the loss with respect to the outputs.
 * With `to_input` also t->D[0]. */
void dl_trainer_backward(dl_trainer *t, bool to_input);

/* Changes all weights by the gradients of the batch. */
void dl_trainer_update(dl_trainer *t, double rate);

/* Exchanges the weights of the network and their averages, if there are any. */
void dl_trainer_swap_average(dl_trainer *t);

/* The averaged weights become those of the network, if there are any. */
void dl_trainer_finish(dl_trainer *t);

/* Number of the first row of the batch, counted over all steps: for dropout. */
uint64_t dl_trainer_row(const dl_trainer *t);

#endif
