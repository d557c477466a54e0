/* Lloyd's iteration with Elkan's bounds (C. Elkan, "Using the triangle inequality to accelerate k-means",
 * ICML 2003). It makes the assignments that comparing all distances would make, up to rounding. */
#ifndef DL_CLUSTER_LLOYD_H
#define DL_CLUSTER_LLOYD_H

#include "cluster/points.h"

/* Samples per task. Fixed, so that sums do not depend on the number of threads. */
enum { DL_CLUSTER_TILE = 256 };

typedef struct dl_lloyd {
    const dl_points *points;
    int64_t c;
    bool spherical;
    int threads;
    float *centers;      /* c x n */
    double *square;      /* ||center||^2 */
    int32_t *assignment; /* N */
    int64_t *sizes;      /* c */
    double inertia;      /* of the points as scaled; set by dl_lloyd_run */
    int64_t iterations;
    bool converged;
    int64_t tiles_done, changed; /* of an assignment that is not complete: tiles, and samples that changed */
    struct dl_bounds *bounds;
    struct dl_moves *moves;
} dl_lloyd;

/* Sets everything but the centers. The state must be freed after a failure, too. */
dltf_status dl_lloyd_alloc(dl_lloyd *state, const dl_points *points, int64_t c, bool spherical, int threads);
void dl_lloyd_free(dl_lloyd *state);

/* The threads worth starting for so many operations: starting and joining them takes longer than a little
 * work. */
static inline int dl_lloyd_threads(const dl_lloyd *state, int64_t operations) {
    return operations < 1 << 17 ? 1 : state->threads;
}

/* To be called for a new start: forgets all bounds. The caller sets centers and their squares. */
void dl_lloyd_reset(dl_lloyd *state);
/* A known distance of sample i to the initial center j, which saves computing it again. */
void dl_lloyd_know(dl_lloyd *state, int64_t i, int64_t j, float distance);

/* Alternates assignment and means until no sample changes its cluster, the squared movement of all centers
 * is at most `movement`, or `iterations` are done. An empty cluster takes the sample farthest from its
 * center. `step` is called once per iteration; DLTF_CANCELLED if it returns false, or at a poll; the next
 * call goes on from there. */
dltf_status dl_lloyd_run(dl_lloyd *state, int64_t iterations, double movement, bool (*step)(void *),
                         void *context);

#endif
