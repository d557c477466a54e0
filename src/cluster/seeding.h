/* The initial centers of k-means. */
#ifndef DL_CLUSTER_SEEDING_H
#define DL_CLUSTER_SEEDING_H

#include "cluster/lloyd.h"

typedef struct dl_seeding {
    int64_t trials;     /* candidates for each center */
    float *candidates;  /* trials x n */
    float *distances;   /* N x trials */
    double *potentials; /* tiles x trials */
    double *nearest;    /* N: squared distance to the nearest center so far */
    double squares[16]; /* ||candidate||^2 */
    double *shares;     /* ranks x trials: sums of `nearest` if a candidate is taken */
    double *rows;       /* trials x n: candidates, on the rank that has them */
} dl_seeding;

dltf_status dl_seeding_alloc(dl_seeding *seeding, const dl_points *points, int64_t c);
void dl_seeding_free(dl_seeding *seeding);

/* Greedy k-means++ (D. Arthur and S. Vassilvitskii, SODA 2007): each center is a sample drawn with a
 * probability proportional to its squared distance from the centers so far; of `trials` draws the one that
 * lowers the sum of these squares most is taken. Resets the state and sets its centers and bounds. False:
 * cancelled. */
bool dl_seeding_run(dl_seeding *seeding, dl_lloyd *state, int64_t seed, int64_t restart);

#endif
