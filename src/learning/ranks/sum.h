/* Sums over all samples that do not depend on how the samples are divided among ranks.
 *
 * The samples are cut into parts, the sums of the parts are added as a binary tree, and each rank has whole
 * parts: if the ranks are a power of two, they are nodes of the same tree, and the sums have the same bytes
 * for any number of them. Other numbers, and more ranks than parts, give the same sums up to rounding. */
#ifndef DL_LEARNING_RANKS_SUM_H
#define DL_LEARNING_RANKS_SUM_H

#include "learning/learner.h"

typedef struct dl_rank_sum {
    double
        *values; /* size: sums of the current part; after dl_rank_sum_finish, of all samples of all ranks */
    int64_t size;
    double *waiting;  /* sums that wait for their neighbour in the tree, one for each level */
    int levels;       /* below the root of this rank */
    int64_t finished; /* parts; bit l is set if a sum of level l waits */
} dl_rank_sum;

/* `values` belong to the caller. */
dltf_status dl_rank_sum_alloc(dl_rank_sum *fold, const dltf_learner *l, double *values, int64_t size);
void dl_rank_sum_free(dl_rank_sum *fold);
double dl_rank_sum_bytes(const dltf_learner *l, int64_t size);

/* Clears all sums. */
void dl_rank_sum_clear(dl_rank_sum *fold);
/* The current part is complete. */
void dl_rank_sum_next(dl_rank_sum *fold);
/* After the last part: adds up everything. */
void dl_rank_sum_finish(dl_rank_sum *fold);

/* The parts of this rank, and where one of them begins among all samples; part = parts: where the last one
 * ends. They are whole tiles. */
int64_t dl_rank_sum_parts(const dltf_learner *l);
int64_t dl_rank_sum_first(const dltf_learner *l, int64_t part);
/* The same for the last part of the last rank. */
int64_t dl_rank_sum_first_of_last(const dltf_learner *l);

#endif
