/* The learner of streams.
 *
 * Samples are collected in a buffer of fixed size. The first buffer is learned from like a small data set, by
 * stage `gradient`. Every later one is shuffled and cut into batches, one step of gradient.h each. The model
 * is an average of the iterates: its noise falls as with a rate that falls to zero, which would require to
 * know the length of the stream. All of this depends on the position of a sample in the stream alone, so that
 * the pieces in which samples arrive do not matter. */
#ifndef DL_LEARNING_ONLINE_ONLINE_H
#define DL_LEARNING_ONLINE_ONLINE_H

#include "base/handle.h"
#include "dltf/online.h"
#include "learning/gradient/descent.h"

enum {
    DL_ONLINE_BATCH = 2 * DL_TILE, /* samples of a step */
    DL_ONLINE_HELD = 2000          /* held-out samples that are kept */
};

struct dltf_online {
    dl_handle handle;
    dltf_train_options options; /* complete */
    int threads;
    int64_t n, m, k;
    bool warm, warm_encoder; /* started from a model; from one with an encoder */

    int64_t samples;    /* added so far */
    uint64_t checksum;  /* of their values */
    dl_holdout holdout; /* which of them are held out: one of every group */
    int64_t held_out;   /* how many */
    float *held;        /* DL_ONLINE_HELD x n: the newest of them; number i is row i % DL_ONLINE_HELD */

    double *rows;        /* room x n: the buffer, as added */
    int64_t room, count; /* its capacity, and samples in it */
    int64_t buffers;     /* that have been learned from */

    /* Set by the first buffer. */
    float *mean, *offset;                 /* n, as of a model; NULL if not subtracted */
    char center_choice[DL_CENTER_CHOICE]; /* as of a learner */
    double scale;                         /* makes the mean of ||y||^2 1 */

    int64_t steps;
    double left, energy; /* of held-out samples, sums that forget */

    dl_gradient g;         /* the iterate; before the first buffer, W, E and b of the starting model */
    dl_parameters average; /* the model, but for the norms of its atoms; code_sum is not used */
    double *row;           /* threads x n: work space */
};

/* Memory, for complete and checked options. */
dltf_status dl_online_create(const dltf_train_options *options, int64_t n, dltf_online **online);

/* Memory for `mean` and `offset`, if they are wanted and not there yet. */
dltf_status dl_online_make_center(dltf_online *online, bool mean, bool offset);

/* Learns from the samples in the buffer, also if it is not full, and empties it. */
dltf_status dl_online_learn(dltf_online *online);

/* The arrays of its state; how many. */
int dl_online_fields(const dltf_online *online, dl_field *fields);
enum { DL_ONLINE_MAX_FIELDS = 24 };

/* Provenance, as of a learner. */
dltf_status dl_online_notes(const dltf_online *online, dl_notes *notes);

/* The state to and from a bundle, which borrows it. */
dltf_status dl_online_to_bundle(const dltf_online *online, dl_bundle *bundle);
dltf_status dl_online_from_bundle(const dl_bundle *bundle, int64_t threads, dltf_online **online);

#endif
