/* The training of a network: its data, its state and its position. */
#ifndef DL_NETWORK_TRAINING_H
#define DL_NETWORK_TRAINING_H

#include "base/meter.h"
#include "data/bundle.h"
#include "network/loss.h"
#include "network/trainer.h"

struct dl_training {
    dl_network *network;
    dltf_matrix X;
    dl_targets targets;
    const dl_loss *loss;
    int64_t held_out, samples; /* of the rows of X: not trained on, trained on */

    dl_trainer trainer;
    float *T;        /* targets of the batch: room x outputs; NULL for labels */
    int32_t *labels; /* or labels: room */
    double *sums;    /* losses of the tasks of a batch */

    int64_t epoch, first; /* position: the next batch begins with sample `first` of the epoch's order */
    double sum;           /* of the losses of this epoch so far */
    dl_epoch *history;    /* of the epochs done */
    int64_t history_room;
    double start_time;
    dl_meter meter;

    /* Samples to measure the error on; no rows: none. */
    dltf_matrix validation;
    const int32_t *wanted;
    int32_t *found;
    float *own_validation; /* the samples held out, and their labels */
    int32_t *own_wanted;
};

/* Row of X of sample i of those trained on. */
int64_t dl_training_row(const dl_training *t, int64_t i);

/* Room for the record of one more epoch. */
dltf_status dl_training_reserve(dl_training *t);

/* Trains on the rest of the current epoch. `cancelled`: by the caller, after any batch. */
dltf_status dl_training_epoch(dl_training *t, bool *cancelled);

/* The state of an unfinished training, to and from a bundle (docs/formats.md). */
dltf_status dl_training_to_bundle(const dl_training *t, dl_bundle *bundle);
dltf_status dl_training_from_bundle(const dl_bundle *bundle, dltf_matrix X, dl_targets targets,
                                    int64_t threads, dl_training **training);

#endif
