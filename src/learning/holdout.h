/* Samples held out from training: one of every few rows, at a random place among them. Both parts keep the
 * order of the rows, so that a walk over either reads the data from front to back. */
#ifndef DL_LEARNING_HOLDOUT_H
#define DL_LEARNING_HOLDOUT_H

#include "base/random.h"

/* All zero: nothing is held out. */
typedef struct dl_holdout {
    int64_t group;    /* one row of each group of this many is held out */
    int64_t held_out; /* how many groups; rows after the last one are not held out */
    dl_random random;
} dl_holdout;

/* Holds out a share of N rows, at most a half and at most `most`. */
dl_holdout dl_holdout_rows(int64_t N, double share, int64_t most, uint64_t seed);

/* The row of sample i of the training part. */
int64_t dl_holdout_training(const dl_holdout *holdout, int64_t i);
/* The row of sample i of the held-out part. */
int64_t dl_holdout_row(const dl_holdout *holdout, int64_t i);

#endif
