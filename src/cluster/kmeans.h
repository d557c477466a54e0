/* A run of k-means from the inside, for its checkpoints. */
#ifndef DL_CLUSTER_KMEANS_H
#define DL_CLUSTER_KMEANS_H

#include "base/handle.h"
#include "base/meter.h"
#include "cluster/lloyd.h"
#include "data/state.h"
#include "dltf/cluster.h"

struct dltf_clusters {
    dl_handle handle;
    dltf_clusters_view view;
    int32_t *assignment;
    float *centers;
    int64_t *sizes;
};

typedef struct dl_kmeans {
    const dl_points *points;
    dltf_cluster_options options;
    dl_lloyd state;        /* of the current restart */
    dltf_clusters *result; /* the best of those before */
    int64_t restart;
    bool inside;                /* the restart has begun */
    const dltf_matrix *centers; /* initial ones, or NULL: seeding */
    dl_meter *meter;
    struct dltf_state checkpoint;
} dl_kmeans;

/* What is clustered: codes or, if NULL, samples. */
typedef struct dl_kmeans_data {
    const dltf_codes *codes;
    dltf_matrix X;
    const dltf_matrix *centers; /* initial ones, or NULL */
} dl_kmeans_data;

/* A checkpoint. Within a restart it holds centers, sums and bounds, 4 N c bytes. */
dltf_status dl_kmeans_to_bundle(const void *kmeans, dl_bundle *bundle);
/* Options of a checkpoint; state and result from it. */
dltf_status dl_kmeans_read_options(const dl_bundle *bundle, int64_t threads, dltf_cluster_options *options);
dltf_status dl_kmeans_restore(dl_kmeans *kmeans, const dl_bundle *bundle);

dltf_status dl_kmeans_resume(const dl_bundle *bundle, dl_kmeans_data data, int64_t threads,
                             dltf_progress_fn progress, void *context, dltf_clusters **clusters);

#endif
