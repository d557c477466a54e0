/* dltf_clusters_train and dltf_clusters_train_codes: restarts, of which the best is kept. */
#include "cluster/kmeans.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "cluster/cluster_options.h"
#include "cluster/seeding.h"
#include "comm/comm.h"
#include "data/matrix.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

static dltf_status check(const dltf_cluster_options *o, int64_t N, dltf_subject subject) {
    dltf_status status = dl_option_check(dl_cluster_option_table(), o, NULL);
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
    DL_TRY_HANDLE(made, CLUSTERS);
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

/* Reports progress, with the state if one process has all of it. */
static bool report(dl_kmeans *k, int64_t restarts) {
    return dl_meter_add_state(k->meter, restarts, dl_comm_size() == 1 ? &k->checkpoint : NULL);
}

static bool step(void *kmeans) {
    return report(kmeans, 0);
}

/* Begins with the given centers. */
static dltf_status place_centers(dl_kmeans *k) {
    dltf_status status = DLTF_OK;
    dl_lloyd *state = &k->state;
    int64_t n = k->points->n;
    double *row = NULL;
    DL_TRY_NEW(row, n);
    dl_lloyd_reset(state);
    for (int64_t j = 0; j < state->c; j++) {
        float *center = state->centers + j * n;
        dl_matrix_row(*k->centers, j, row);
        DL_TRY(dl_points_place(k->points, row, state->spherical, j, DLTF_SUBJECT_CENTERS, center));
        state->square[j] = dl_kernels_now()->square(center, n);
    }
    status = dl_matrix_status(*k->centers);
done:
    dl_free(row);
    return status;
}

static dltf_status begin_restart(dl_kmeans *k, dl_seeding *seeding) {
    if (k->centers)
        return place_centers(k);
    return dl_seeding_run(seeding, &k->state, k->options.seed, k->restart) ? DLTF_OK : DLTF_CANCELLED;
}

static dltf_status run_restart(dl_kmeans *k, dl_seeding *seeding) {
    const dltf_cluster_options *o = &k->options;
    double movement = o->tolerance * k->points->variance, scale = k->points->scale;
    dltf_status status = k->inside ? DLTF_OK : begin_restart(k, seeding);
    if (status != DLTF_OK)
        return status;
    k->inside = true;
    status = dl_lloyd_run(&k->state, o->iterations, movement, step, k);
    if (status != DLTF_OK)
        return status;
    if (k->restart == 0 || k->state.inertia / scale / scale < k->result->view.inertia)
        keep(&k->state, k->restart, k->result);
    k->inside = false;
    k->restart++;
    bool cancelled = dl_comm_any(!report(k, 1));
    return cancelled && k->restart < o->restarts ? DLTF_CANCELLED : DLTF_OK;
}

/* `from`: the checkpoint to resume, or NULL. */
static dltf_status run(const dl_points *points, const dltf_cluster_options *o, const dltf_matrix *centers,
                       const dl_bundle *from, dl_meter *meter, dltf_clusters **clusters) {
    dltf_status status = DLTF_OK;
    dl_kmeans k = {.points = points, .options = *o, .centers = centers, .meter = meter};
    k.checkpoint = (struct dltf_state){dl_kmeans_to_bundle, &k};
    dl_seeding seeding = {0};
    DL_TRY(dl_lloyd_alloc(&k.state, points, o->clusters, o->spherical, dl_thread_count(o->threads)));
    DL_TRY(dl_seeding_alloc(&seeding, points, o->clusters));
    DL_TRY(result_alloc(points->N, points->n, o->clusters, &k.result));
    DL_TRY(dl_comm_agree(DLTF_OK)); /* all ranks have memory */
    if (from)
        DL_TRY(dl_kmeans_restore(&k, from));
    meter->done = k.restart;
    meter->state = dl_comm_size() == 1 ? &k.checkpoint : NULL;
    while (k.restart < o->restarts)
        DL_TRY(run_restart(&k, &seeding));
    if (!dl_all_finite(k.result->centers, o->clusters * points->n) || !isfinite(k.result->view.inertia))
        DL_TRY(dl_fail_about(DLTF_NUMERIC, points->rows ? DLTF_SUBJECT_DATA : DLTF_SUBJECT_CODES,
                             "the centers overflow single precision: rescale the data"));
    DL_TRY(collect(points, k.result));
    *clusters = k.result;
    k.result = NULL;
done:
    meter->state = NULL;
    dltf_clusters_free(k.result);
    dl_seeding_free(&seeding);
    dl_lloyd_free(&k.state);
    return status;
}

static dltf_status cluster(dl_kmeans_data data, const dltf_cluster_options *options, const dl_bundle *from,
                           dltf_progress_fn progress, void *context, dltf_clusters **clusters) {
    dl_points points = {0};
    dl_meter meter = dl_meter_new("clustering", progress, context, options->restarts);
    dltf_status status = check(options, data.codes ? dltf_codes_csr(data.codes).rows : data.X.rows,
                               data.codes ? DLTF_SUBJECT_CODES : DLTF_SUBJECT_DATA);
    if (dl_comm_size() == 1) /* ranks could not agree on where to stop */
        dl_meter_watch(&meter);
    if (status == DLTF_OK)
        status = data.codes ? dl_points_sparse(data.codes, options->spherical, &points)
                            : dl_points_dense(data.X, options->spherical, &points);
    if (status == DLTF_OK)
        status = run(&points, options, data.centers, from, &meter, clusters);
    dl_meter_unwatch(&meter);
    if (status == DLTF_CANCELLED)
        dl_fail(status, "clustering was cancelled");
    dl_points_free(&points);
    return status;
}

static dltf_status cluster_anew(dl_kmeans_data data, const dltf_cluster_options *options,
                                dltf_progress_fn progress, void *context, dltf_clusters **clusters) {
    dltf_cluster_options own;
    dltf_status status = DL_READ_OPTIONS(cluster, options, &own);
    return status == DLTF_OK ? cluster(data, &own, NULL, progress, context, clusters) : status;
}

dltf_status dltf_clusters_train(dltf_matrix X, const dltf_cluster_options *options, dltf_progress_fn progress,
                                void *context, dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(clusters);
    return cluster_anew((dl_kmeans_data){.X = X}, options, progress, context, clusters);
}

dltf_status dltf_clusters_train_codes(const dltf_codes *codes, const dltf_cluster_options *options,
                                      dltf_progress_fn progress, void *context, dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(codes, clusters);
    return cluster_anew((dl_kmeans_data){.codes = codes}, options, progress, context, clusters);
}

dltf_status dltf_clusters_train_from(dltf_matrix X, dltf_matrix centers, const dltf_cluster_options *options,
                                     dltf_progress_fn progress, void *context, dltf_clusters **clusters) {
    DL_CLEAR(clusters);
    DL_REQUIRE(clusters);
    dltf_cluster_options own;
    dltf_status status = DL_READ_OPTIONS(cluster, options, &own);
    if (status == DLTF_OK)
        status = dl_centers_check(centers, X);
    if (status != DLTF_OK)
        return status;
    if (own.clusters != 0 && own.clusters != centers.rows)
        return dl_fail_option(DLTF_ARGUMENT, "clusters", "%lld clusters, but %lld centers are given",
                              (long long)own.clusters, (long long)centers.rows);
    own.clusters = centers.rows;
    own.restarts = 1; /* others would give the same result */
    return cluster((dl_kmeans_data){.X = X, .centers = &centers}, &own, NULL, progress, context, clusters);
}

dltf_status dl_kmeans_resume(const dl_bundle *bundle, dl_kmeans_data data, int64_t threads,
                             dltf_progress_fn progress, void *context, dltf_clusters **clusters) {
    dltf_cluster_options options;
    dltf_status status = dl_kmeans_read_options(bundle, threads, &options);
    return status == DLTF_OK ? cluster(data, &options, bundle, progress, context, clusters) : status;
}

void dltf_clusters_get_sized(const dltf_clusters *clusters, dltf_clusters_view *found, size_t size) {
    const dltf_clusters_view none = {0};
    DL_WRITE_STRUCT(dltf_clusters_view, found, size, clusters ? &clusters->view : &none);
}

void dltf_clusters_free(dltf_clusters *clusters) {
    if (!clusters)
        return;
    dl_free(clusters->assignment);
    dl_free(clusters->centers);
    dl_free(clusters->sizes);
    dl_free(clusters);
}
