/* dltf_centers_assign: the nearest of given centers. Distances are compared in single precision, of samples
 * shifted by the mean of the centers and scaled by the diagonal of their bounding box: data far from the
 * origin, huge data and tiny data lose no digits. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/options.h"
#include "base/parallel.h"
#include "cluster/points.h"
#include "data/matrix.h"
#include "dltf/cluster.h"
#include "kernels/kernels.h"

#include <math.h>

enum { TILE = 64, BLOCK = 4096 /* rows that are loaded at a time */ };

typedef struct job {
    int64_t c, n;
    dl_points frame; /* shift and scale; no points */
    double *row;
    float *centers;
    int32_t *list;       /* 0 .. c-1 */
    float *distances;    /* c of each thread */
    int64_t first, rows; /* of the block */
    float *block;
    int32_t *nearest;
    double *distance; /* or NULL */
} job;

/* In the coordinates of the samples. */
static double distance_of(const job *j, const float *x, const float *center) {
    double sum = 0;
    for (int64_t d = 0; d < j->n; d++)
        sum += ((double)x[d] - (double)center[d]) * ((double)x[d] - (double)center[d]);
    return sqrt(sum) / j->frame.scale;
}

static void assign_tile(void *context, int64_t tile, int worker) {
    const job *j = context;
    float *distances = j->distances + worker * dl_apart(j->c);
    for (int64_t i = tile * TILE; i < dl_min((tile + 1) * TILE, j->rows); i++) {
        const float *x = j->block + i * j->n;
        int64_t best = 0;
        dl_kernels_now()->distances(x, j->centers, j->n, j->list, j->c, distances);
        for (int64_t center = 1; center < j->c; center++)
            best = distances[center] < distances[best] ? center : best;
        j->nearest[j->first + i] = (int32_t)best;
        if (j->distance)
            j->distance[j->first + i] = distance_of(j, x, j->centers + best * j->n);
    }
}

/* Sets the mean of the centers, and the scale that gives their bounding box a diagonal of 1. */
static dltf_status measure_centers(dltf_matrix centers, job *j) {
    dltf_status status = DLTF_OK;
    double *low = NULL, *high = NULL;
    DL_TRY_NEW(j->frame.mean, j->n);
    DL_TRY_NEW(low, j->n);
    DL_TRY_NEW(high, j->n);
    for (int64_t i = 0; i < j->c; i++) {
        dl_matrix_row(centers, i, j->row);
        for (int64_t d = 0; d < j->n; d++) {
            j->frame.mean[d] += j->row[d] / (double)j->c; /* divided first: sums of huge values overflow */
            low[d] = i == 0 ? j->row[d] : fmin(low[d], j->row[d]);
            high[d] = i == 0 ? j->row[d] : fmax(high[d], j->row[d]);
        }
    }
    for (int64_t d = 0; d < j->n; d++)
        high[d] -= low[d];
    double scale = 1 / dl_norm(high, j->n);
    j->frame.scale = isfinite(scale) ? scale : 1; /* all centers are equal */
done:
    dl_free(low);
    dl_free(high);
    return status;
}

static dltf_status prepare(dltf_matrix centers, bool spherical, int threads, job *j) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(j->row, j->n);
    DL_TRY_NEW(j->centers, j->c * j->n);
    DL_TRY_NEW(j->list, j->c);
    DL_TRY_NEW(j->distances, threads * dl_apart(j->c));
    DL_TRY_NEW(j->block, BLOCK * j->n);
    j->frame = (dl_points){.n = j->n, .scale = 1};
    if (!spherical)
        DL_TRY(measure_centers(centers, j));
    for (int64_t i = 0; i < j->c; i++) {
        j->list[i] = (int32_t)i;
        dl_matrix_row(centers, i, j->row);
        DL_TRY(dl_points_place(&j->frame, j->row, spherical, i, DLTF_SUBJECT_CENTERS, j->centers + i * j->n));
    }
    status = dl_matrix_status(centers);
done:
    return status;
}

static dltf_status assign_blocks(dltf_matrix X, bool spherical, int threads, dl_meter *meter, job *j) {
    dltf_status status = DLTF_OK;
    for (j->first = 0; j->first < X.rows; j->first += j->rows) {
        j->rows = dl_min(BLOCK, X.rows - j->first);
        for (int64_t i = 0; i < j->rows; i++) {
            dl_matrix_row(X, j->first + i, j->row);
            DL_TRY(dl_matrix_status(X));
            DL_TRY(dl_points_place(&j->frame, j->row, spherical, j->first + i, DLTF_SUBJECT_DATA,
                                   j->block + i * j->n));
        }
        if (!dl_parallel_polled(threads, dl_tiles(j->rows, TILE), assign_tile, j) ||
            !dl_meter_add(meter, j->rows))
            return dl_fail(DLTF_CANCELLED, "assigning samples was cancelled");
    }
done:
    return status;
}

dltf_status dltf_centers_assign(dltf_matrix centers, dltf_matrix X, bool spherical, int64_t threads,
                                dltf_progress_fn progress, void *context, int32_t *assignment,
                                double *distance) {
    DL_REQUIRE(assignment);
    DL_REQUIRE_THREADS(threads);
    int count = dl_thread_count(threads);
    dl_meter meter = dl_meter_new("assigning samples", progress, context, X.rows);
    job j = {.c = centers.rows, .n = centers.cols, .nearest = assignment, .distance = distance};
    dltf_status status = dl_centers_check(centers, X);
    if (status != DLTF_OK)
        return status;
    dl_meter_watch(&meter);
    status = prepare(centers, spherical, count, &j);
    if (status == DLTF_OK)
        status = assign_blocks(X, spherical, count, &meter, &j);
    dl_meter_unwatch(&meter);
    dl_free(j.row);
    dl_free(j.centers);
    dl_free(j.list);
    dl_free(j.distances);
    dl_free(j.block);
    dl_points_free(&j.frame);
    return status;
}
