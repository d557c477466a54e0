/* Checkpoints of k-means: connects cluster, which does no I/O, to io, which knows no clusters. */
#include "base/options.h"
#include "cluster/kmeans.h"
#include "data/matrix.h"
#include "io/formats/safetensors.h"

static dltf_status resume(const char *path, dl_kmeans_data data, int64_t threads, dltf_progress_fn progress,
                          void *context, dltf_clusters **clusters) {
    dl_bundle bundle = {0};
    dl_file file = {0};
    dltf_status status = dl_safetensors_open(path, &file, &bundle);
    if (status == DLTF_OK) {
        status = dl_kmeans_resume(&bundle, data, threads, progress, context, clusters);
        if (status == DLTF_FORMAT || (status == DLTF_DATA && dltf_last_error().subject == DLTF_SUBJECT_NONE))
            dl_fail_prefix(status, path);
    }
    dl_bundle_free(&bundle);
    dl_file_close(&file);
    return status;
}

dltf_status dltf_clusters_resume(const char *path, dltf_matrix X, int64_t threads, dltf_progress_fn progress,
                                 void *context, dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(path, clusters);
    DL_REQUIRE_THREADS(threads);
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    return status == DLTF_OK ? resume(path, (dl_kmeans_data){.X = X}, threads, progress, context, clusters)
                             : status;
}

dltf_status dltf_clusters_resume_codes(const char *path, const dltf_codes *codes, int64_t threads,
                                       dltf_progress_fn progress, void *context, dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(path, codes, clusters);
    DL_REQUIRE_THREADS(threads);
    return resume(path, (dl_kmeans_data){.codes = codes}, threads, progress, context, clusters);
}
