/* dltf/bind.h: clusters, landmarks and principal components. */
#include "api/bind.h"
#include "api/values.h"
#include "data/array.h"

dltf_status dltf_bind_clusters_train(const dltf_array *X, const dltf_options *options, dltf_report_fn report,
                                     void *context, dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(X, clusters);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "cluster", options, report, context);
    return status == DLTF_OK ? dltf_clusters_train(X->matrix, call.options, call.progress, &call, clusters)
                             : status;
}

dltf_status dltf_bind_clusters_train_codes(const dltf_codes *codes, const dltf_options *options,
                                           dltf_report_fn report, void *context, dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(codes, clusters);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "cluster", options, report, context);
    return status == DLTF_OK ? dltf_clusters_train_codes(codes, call.options, call.progress, &call, clusters)
                             : status;
}

dltf_status dltf_bind_partitions_compare(const int32_t *assignment, const int64_t *labels, int64_t count,
                                         dltf_values **agreement) {
    DL_CLEAR(agreement);
    DL_REQUIRE(assignment, labels, agreement);
    dltf_agreement found;
    dltf_values *made = NULL;
    dltf_status status = dltf_partitions_compare(assignment, labels, count, &found);
    if (status == DLTF_OK)
        status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    DL_PUT_NUMBER(made, found, accuracy);
    DL_PUT_NUMBER(made, found, nmi);
    return dl_values_finish(made, agreement);
}

dltf_status dltf_bind_landmarks_train(const dltf_array *X, const dltf_options *options, dltf_report_fn report,
                                      void *context, dltf_landmarks **landmarks) {
    DL_CLEAR(landmarks);
    DL_REQUIRE(X, landmarks);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "landmark", options, report, context);
    return status == DLTF_OK ? dltf_landmarks_train(X->matrix, call.options, call.progress, &call, landmarks)
                             : status;
}

dltf_status dltf_bind_landmarks_apply(const dltf_landmarks *landmarks, const dltf_array *X, int64_t threads,
                                      float *out) {
    DL_REQUIRE(landmarks, X, out);
    return dltf_landmarks_apply(landmarks, X->matrix, threads, out);
}

dltf_status dltf_bind_pca_train(const dltf_array *X, int64_t d, int64_t threads, dltf_pca **pca) {
    DL_CLEAR(pca);
    DL_REQUIRE(X, pca);
    return dltf_pca_train(X->matrix, d, threads, pca);
}

dltf_status dltf_bind_pca_apply(const dltf_pca *pca, const dltf_array *X, int64_t threads, float *out) {
    DL_REQUIRE(pca, X, out);
    return dltf_pca_apply(pca, X->matrix, threads, out);
}

dltf_status dltf_bind_clusters_train_from(const dltf_array *X, const dltf_array *centers,
                                          const dltf_options *options, dltf_report_fn report, void *context,
                                          dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(X, centers, clusters);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "cluster", options, report, context);
    return status == DLTF_OK ? dltf_clusters_train_from(X->matrix, centers->matrix, call.options,
                                                        call.progress, &call, clusters)
                             : status;
}

dltf_status dltf_bind_clusters_resume(const char *path, const dltf_array *X, int64_t threads,
                                      dltf_report_fn report, void *context, dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(path, X, clusters);
    dl_call call = dl_call_plain(report, context);
    return dltf_clusters_resume(path, X->matrix, threads, call.progress, &call, clusters);
}

dltf_status dltf_bind_clusters_resume_codes(const char *path, const dltf_codes *codes, int64_t threads,
                                            dltf_report_fn report, void *context, dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(path, codes, clusters);
    dl_call call = dl_call_plain(report, context);
    return dltf_clusters_resume_codes(path, codes, threads, call.progress, &call, clusters);
}

dltf_status dltf_bind_centers_assign(const dltf_array *centers, const dltf_array *X, int spherical,
                                     int64_t threads, dltf_report_fn report, void *context,
                                     int32_t *assignment, double *distance) {
    DL_REQUIRE(centers, X, assignment);
    dl_call call = dl_call_plain(report, context);
    return dltf_centers_assign(centers->matrix, X->matrix, spherical != 0, threads, call.progress, &call,
                               assignment, distance);
}
