/* The center step: means of the samples of each cluster, updated by the samples that moved. */
#ifndef DL_CLUSTER_MOVES_H
#define DL_CLUSTER_MOVES_H

#include "cluster/lloyd.h"

typedef struct dl_moves {
    double *sums;           /* c x n: of the samples of this rank as of `summed` */
    double *totals;         /* c x n: of all samples; with one rank the same array */
    int32_t *summed;        /* N: the assignment that the sums belong to; -1: none */
    int64_t *joined, *left; /* N: samples that moved, sorted by new and by old cluster */
    int64_t *to, *from;     /* c + 1: where the samples of a cluster begin in the two lists */
    float *before;          /* n floats per thread */
    double *row;            /* n: a sample */
    double *distance;       /* N, at least c: work space */
} dl_moves;

dltf_status dl_moves_alloc(dl_moves **moves, int64_t N, int64_t n, int64_t c, int threads);
void dl_moves_free(dl_moves *moves);
void dl_moves_reset(dl_moves *moves, int64_t N, int64_t n, int64_t c);

/* Gives every empty cluster the sample that is farthest from its center, as center and only sample.
 * Returns whether there was any. */
bool dl_moves_fill_empty(dl_lloyd *state);

/* Sets each center to the mean of its samples (spherical: scaled to norm 1) and records its movement in the
 * bounds; returns the sum of the squared movements. Costs O(n) for each sample that moved. */
double dl_moves_apply(dl_lloyd *state);

#endif
