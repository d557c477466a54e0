/* Elkan's bounds, and the assignment step that uses them. */
#ifndef DL_CLUSTER_BOUNDS_H
#define DL_CLUSTER_BOUNDS_H

#include "cluster/lloyd.h"

/* Each bound is moved to its safe side by more than rounding can amount to. */
typedef struct dl_bounds {
    float *upper;     /* N: of the distance to the own center */
    float *lower;     /* N x c: of the distances to all centers */
    float *half;      /* c x c: half the distances between centers */
    float *gap;       /* c: the smallest of its row */
    float *move;      /* c: how far each center has moved since the bounds held */
    float *shift;     /* c: the same, rounded up */
    int64_t *changed; /* of each tile */
    int32_t *list;    /* c centers per thread: those that the bounds do not exclude */
    float *distance;  /* c per thread */
} dl_bounds;

dltf_status dl_bounds_alloc(dl_bounds **bounds, int64_t N, int64_t c, int threads);
void dl_bounds_free(dl_bounds *bounds);
void dl_bounds_reset(dl_bounds *bounds, int64_t N, int64_t c);

/* assignment[i] = argmin_j ||x_i - center_j|| for all i, of equals the present one; returns how many changed,
 * or -1 if the caller cancelled: the next call goes on from there. O(N c), plus n for each distance that the
 * bounds cannot exclude. */
int64_t dl_bounds_assign(dl_lloyd *state);

#endif
