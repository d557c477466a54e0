/* The assignment step. For a sample with center a and any other center j, j cannot be nearer if
 * ||x - a|| <= ||a - j|| / 2 (triangle inequality), or if an upper bound of ||x - a|| is at most a lower
 * bound of ||x - j||. When centers move, bounds are corrected by the distances they move. */
#include "cluster/bounds.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* More than the relative error of a distance in f32, and of the correction of a bound. */
static const float SLACK = 4e-6f;

static float below(float distance) {
    return distance * (1 - SLACK);
}

dltf_status dl_bounds_alloc(dl_bounds **bounds, int64_t N, int64_t c, int threads) {
    dltf_status status = DLTF_OK;
    int64_t pairs = 0, square = 0;
    *bounds = NULL;
    if (!dl_multiply(N, c, &pairs) || !dl_multiply(c, c, &square))
        return dl_fail_option(DLTF_MEMORY, "clusters", "%lld clusters of %lld samples are too many",
                              (long long)c, (long long)N);
    DL_TRY_NEW(*bounds, 1);
    DL_TRY_NEW((*bounds)->upper, N);
    DL_TRY_NEW((*bounds)->lower, pairs);
    DL_TRY_NEW((*bounds)->half, square);
    DL_TRY_NEW((*bounds)->gap, c);
    DL_TRY_NEW((*bounds)->move, c);
    DL_TRY_NEW((*bounds)->shift, c);
    DL_TRY_NEW((*bounds)->changed, dl_tiles(N, DL_CLUSTER_TILE));
    DL_TRY_NEW((*bounds)->list, dl_apart(c) * threads);
    DL_TRY_NEW((*bounds)->distance, dl_apart(c) * threads);
done:
    return status;
}

void dl_bounds_free(dl_bounds *bounds) {
    if (!bounds)
        return;
    dl_free(bounds->upper);
    dl_free(bounds->lower);
    dl_free(bounds->half);
    dl_free(bounds->gap);
    dl_free(bounds->move);
    dl_free(bounds->shift);
    dl_free(bounds->changed);
    dl_free(bounds->list);
    dl_free(bounds->distance);
    dl_free(bounds);
}

void dl_bounds_reset(dl_bounds *bounds, int64_t N, int64_t c) {
    for (int64_t i = 0; i < N; i++)
        bounds->upper[i] = INFINITY;
    memset(bounds->lower, 0, (size_t)(N * c) * sizeof *bounds->lower);
    memset(bounds->move, 0, (size_t)c * sizeof *bounds->move);
}

void dl_lloyd_know(dl_lloyd *state, int64_t i, int64_t j, float distance) {
    dl_bounds *b = state->bounds;
    b->lower[i * state->c + j] = below(distance);
    if (distance < b->upper[i]) {
        b->upper[i] = distance;
        state->assignment[i] = (int32_t)j;
    }
}

static void center_distances(void *context, int64_t j, int worker) {
    const dl_lloyd *s = context;
    dl_bounds *b = s->bounds;
    int64_t n = s->points->n;
    int32_t *list = b->list + worker * dl_apart(s->c);
    float *half = b->half + j * s->c;
    for (int64_t other = 0; other < s->c; other++)
        list[other] = (int32_t)other;
    dl_kernels_now()->distances(s->centers + j * n, s->centers, n, list, s->c, half);
    b->gap[j] = INFINITY;
    for (int64_t other = 0; other < s->c; other++) {
        half[other] = below(sqrtf(half[other]) / 2);
        if (other != j && half[other] < b->gap[j])
            b->gap[j] = half[other];
    }
}

/* The centers that may be nearer than `upper`. */
static int64_t candidates(const dl_lloyd *s, const float *lower, int64_t own, float upper, int32_t *list) {
    const float *half = s->bounds->half + own * s->c;
    int64_t count = 0;
    for (int64_t j = 0; j < s->c; j++) {
        list[count] = (int32_t)j;
        count += lower[j] < upper && half[j] < upper && j != own;
    }
    return count;
}

/* Compares the own center with those that the bounds do not exclude. */
static int64_t nearest(const dl_lloyd *s, int64_t i, int worker) {
    dl_bounds *b = s->bounds;
    float *lower = b->lower + i * s->c, *distance = b->distance + worker * dl_apart(s->c);
    int32_t *list = b->list + worker * dl_apart(s->c), own = s->assignment[i];
    if (candidates(s, lower, own, b->upper[i], list) == 0)
        return own;
    dl_points_distances(s->points, i, s->centers, s->square, &own, 1, &b->upper[i]);
    lower[own] = below(b->upper[i]);
    int64_t count = candidates(s, lower, own, b->upper[i], list);
    dl_points_distances(s->points, i, s->centers, s->square, list, count, distance);
    for (int64_t e = 0; e < count; e++) {
        lower[list[e]] = below(distance[e]);
        if (distance[e] < b->upper[i]) {
            b->upper[i] = distance[e];
            own = list[e];
        }
    }
    return own;
}

static void assign_tile(void *context, int64_t task, int worker) {
    dl_lloyd *s = context;
    dl_bounds *b = s->bounds;
    int64_t tile = s->tiles_done + task;
    int64_t first = tile * DL_CLUSTER_TILE, end = dl_min(first + DL_CLUSTER_TILE, s->points->N);
    b->changed[tile] = 0;
    for (int64_t i = first; i < end; i++) {
        float *lower = b->lower + i * s->c;
        int64_t own = s->assignment[i];
        for (int64_t j = 0; j < s->c; j++)
            lower[j] -= b->shift[j];
        b->upper[i] += b->shift[own];
        if (b->upper[i] <= b->gap[own])
            continue;
        s->assignment[i] = (int32_t)nearest(s, i, worker);
        b->changed[tile] += s->assignment[i] != own;
    }
}

/* Tiles between two polls: some ten milliseconds. */
static int64_t tiles_per_poll(const dl_lloyd *s) {
    const double operations = 1e8;
    double tile = (double)DL_CLUSTER_TILE * (double)s->c * (double)s->points->n;
    return (int64_t)fmax(s->threads, fmin(operations / tile, (double)s->points->N));
}

int64_t dl_bounds_assign(dl_lloyd *state) {
    dl_bounds *b = state->bounds;
    int64_t tiles = dl_tiles(state->points->N, DL_CLUSTER_TILE), some = tiles_per_poll(state);
    int64_t c = state->c, pairs = c * c * state->points->n;
    for (int64_t j = 0; j < c; j++)
        b->shift[j] = b->move[j] * (1 + SLACK);
    if (!dl_parallel_polled(dl_lloyd_threads(state, pairs), c, center_distances, state))
        return -1;
    while (state->tiles_done < tiles) {
        int64_t count = dl_min(some, tiles - state->tiles_done);
        dl_parallel(dl_lloyd_threads(state, count * DL_CLUSTER_TILE * c), count, assign_tile, state);
        for (int64_t tile = state->tiles_done; tile < state->tiles_done + count; tile++)
            state->changed += b->changed[tile];
        state->tiles_done += count;
        if (!dl_poll())
            return -1;
    }
    int64_t changed = state->changed;
    state->tiles_done = state->changed = 0;
    memset(b->move, 0, (size_t)c * sizeof *b->move);
    return changed;
}
