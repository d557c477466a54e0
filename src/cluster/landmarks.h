/* Landmarks from their parts. */
#ifndef DL_CLUSTER_LANDMARKS_H
#define DL_CLUSTER_LANDMARKS_H

#include "base/status.h"
#include "dltf/cluster.h"

/* Copies. `landmarks`: m x n, normalised here; `map`: m x d. */
dltf_status dl_landmarks_new(int64_t m, int64_t n, int64_t k, int64_t d, const float *landmarks,
                             const float *map, dltf_landmarks **made);

#endif
