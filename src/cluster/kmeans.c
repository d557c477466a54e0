/* dltf_kmeans and dltf_kmeans_codes: restarts, of which the best is kept. */
#include "base/memory.h"
#include "base/meter.h"
#include "base/options.h"
#include "base/parallel.h"
#include "cluster/seeding.h"
#include "comm/comm.h"

#include <math.h>
#include <string.h>

struct dltf_clusters {
    dltf_clusters_view view;
    int32_t *assignment;
    float *centers;
    int64_t *sizes;
};

static dltf_status check(const dltf_kmeans_options *o, int64_t N, dltf_subject subject) {
    dltf_status status = dltf_option_check(dltf_kmeans_option_table(), o, NULL);
    if (status != DLTF_OK)
        return status;
    if (o->clusters < 1)
        return dl_fail_option(DLTF_ARGUMENT, "clusters", "the number of clusters is missing");
    if (o->clusters > N)
        return dl_fail_about(DLTF_ARGUMENT, subject, "%lld samples cannot form %lld clusters", (long long)N,
                             (long long)o->clusters);
    return DLTF_OK;
}

static dltf_status result_alloc(int64_t N, int64_t n, int64_t c, dltf_clusters **result) {
    dltf_status status = DLTF_OK;
    dltf_clusters *made = NULL;
    DL_TRY_NEW(made, 1);
    DL_TRY_NEW(made->assignment, N);
    DL_TRY_NEW(made->centers, c * n);
    DL_TRY_NEW(made->sizes, c);
    made->view = (dltf_clusters_view){.samples = N,
                                      .clusters = c,
                                      .cols = n,
                                      .assignment = made->assignment,
                                      .centers = made->centers,
                                      .sizes = made->sizes,
                                      .inertia = INFINITY};
    *result = made;
    made = NULL;
done:
    dltf_clusters_free(made);
    return status;
}

static void keep(const dl_lloyd *state, int64_t restart, dltf_clusters *result) {
    const dl_points *points = state->points;
    memcpy(result->assignment, state->assignment, (size_t)points->N * sizeof *result->assignment);
    memcpy(result->sizes, state->sizes, (size_t)state->c * sizeof *result->sizes);
    for (int64_t j = 0; j < state->c; j++)
        dl_points_restore(points, state->centers + j * points->n, result->centers + j * points->n);
    result->view.inertia = state->inertia / points->scale / points->scale;
    result->view.restart = restart;
    result->view.iterations = state->iterations;
    result->view.converged = state->converged;
}

/* The clusters of the samples of all ranks, on rank 0. */
static dltf_status collect(const dl_points *points, dltf_clusters *result) {
    dltf_status status = DLTF_OK;
    int32_t *all = NULL;
    int64_t *counts = NULL;
    if (dl_comm_size() == 1)
        return DLTF_OK;
    DL_TRY_NEW(counts, dl_comm_size());
    DL_TRY_NEW(all, dl_comm_rank() == 0 ? points->all : points->N);
    for (int r = 0; r < dl_comm_size(); r++)
        counts[r] = dl_comm_first(points->all, r + 1) - dl_comm_first(points->all, r);
    if (dl_comm_rank() > 0)
        memcpy(all, result->assignment, (size_t)points->N * sizeof *all);
    dl_comm_gather(result->assignment, counts, sizeof *all, all);
    DL_TRY(dl_comm_status());
    dl_free(result->assignment);
    result->view.assignment = result->assignment = all;
    result->view.samples = dl_comm_rank() == 0 ? points->all : points->N;
    all = NULL;
done:
    dl_free(all);
    dl_free(counts);
    return status;
}

static bool step(void *context) {
    return dl_meter_add(context, 0);
}

static dltf_status run(const dl_points *points, const dltf_kmeans_options *o, dltf_progress_fn progress,
                       void *context, dltf_clusters **clusters) {
    dltf_status status = DLTF_OK;
    dl_meter meter = {"clustering", progress, context, 0, o->restarts};
    dl_lloyd state = {0};
    dl_seeding seeding = {0};
    dltf_clusters *result = NULL;
    DL_TRY(dl_lloyd_alloc(&state, points, o->clusters, o->spherical, dl_thread_count(o->threads)));
    DL_TRY(dl_seeding_alloc(&seeding, points, o->clusters));
    DL_TRY(result_alloc(points->N, points->n, o->clusters, &result));
    DL_TRY(dl_comm_agree(DLTF_OK)); /* all ranks have memory */
    for (int64_t restart = 0; restart < o->restarts; restart++) {
        dl_seeding_run(&seeding, &state, o->seed, restart);
        DL_TRY(dl_lloyd_run(&state, o->iterations, o->tolerance * points->variance, step, &meter));
        if (restart == 0 || state.inertia / points->scale / points->scale < result->view.inertia)
            keep(&state, restart, result);
        if (dl_comm_any(!dl_meter_add(&meter, 1)) && restart + 1 < o->restarts) {
            status = DLTF_CANCELLED;
            goto done;
        }
    }
    DL_TRY(collect(points, result));
    *clusters = result;
    result = NULL;
done:
    if (status == DLTF_CANCELLED)
        dl_fail(status, "clustering was cancelled");
    dltf_clusters_free(result);
    dl_seeding_free(&seeding);
    dl_lloyd_free(&state);
    return status;
}

dltf_status dltf_kmeans(dltf_matrix X, const dltf_kmeans_options *options, dltf_progress_fn progress,
                        void *context, dltf_clusters **clusters) {
    dl_points points = {0};
    *clusters = NULL;
    dltf_status status = check(options, X.rows, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK)
        status = dl_points_dense(X, options->spherical, &points);
    if (status == DLTF_OK)
        status = run(&points, options, progress, context, clusters);
    dl_points_free(&points);
    return status;
}

dltf_status dltf_kmeans_codes(const dltf_codes *codes, const dltf_kmeans_options *options,
                              dltf_progress_fn progress, void *context, dltf_clusters **clusters) {
    dl_points points = {0};
    *clusters = NULL;
    dltf_status status = check(options, dltf_codes_csr(codes).rows, DLTF_SUBJECT_CODES);
    if (status == DLTF_OK)
        status = dl_points_sparse(codes, options->spherical, &points);
    if (status == DLTF_OK)
        status = run(&points, options, progress, context, clusters);
    dl_points_free(&points);
    return status;
}

dltf_clusters_view dltf_clusters_get(const dltf_clusters *clusters) {
    return clusters->view;
}

void dltf_clusters_free(dltf_clusters *clusters) {
    if (!clusters)
        return;
    dl_free(clusters->assignment);
    dl_free(clusters->centers);
    dl_free(clusters->sizes);
    dl_free(clusters);
}
