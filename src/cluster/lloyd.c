/* The loop of Lloyd's iteration. */
#include "cluster/lloyd.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cluster/bounds.h"
#include "cluster/moves.h"
#include "comm/comm.h"

dltf_status dl_lloyd_alloc(dl_lloyd *state, const dl_points *points, int64_t c, bool spherical, int threads) {
    dltf_status status = DLTF_OK;
    *state = (dl_lloyd){.points = points, .c = c, .spherical = spherical, .threads = threads};
    DL_TRY(dl_moves_alloc(&state->moves, points->N, points->n, c, threads));
    DL_TRY(dl_bounds_alloc(&state->bounds, points->N, c, threads));
    DL_TRY_NEW(state->centers, c * points->n);
    DL_TRY_NEW(state->square, c);
    DL_TRY_NEW(state->assignment, points->N);
    DL_TRY_NEW(state->sizes, c);
done:
    return status;
}

void dl_lloyd_free(dl_lloyd *state) {
    dl_free(state->centers);
    dl_free(state->square);
    dl_free(state->assignment);
    dl_free(state->sizes);
    dl_bounds_free(state->bounds);
    dl_moves_free(state->moves);
    *state = (dl_lloyd){0};
}

void dl_lloyd_reset(dl_lloyd *state) {
    int64_t N = state->points->N;
    for (int64_t i = 0; i < N; i++)
        state->assignment[i] = 0;
    state->iterations = 0;
    state->converged = false;
    state->tiles_done = state->changed = 0;
    dl_bounds_reset(state->bounds, N, state->c);
    dl_moves_reset(state->moves, N, state->points->n, state->c);
}

static void tile_inertia(void *context, int64_t tile, int worker) {
    (void)worker;
    const dl_lloyd *s = context;
    int64_t first = tile * DL_CLUSTER_TILE, end = dl_min(first + DL_CLUSTER_TILE, s->points->N);
    double sum = 0;
    for (int64_t i = first; i < end; i++)
        sum += dl_points_square(s->points, i, s->centers + s->assignment[i] * s->points->n);
    s->moves->distance[tile] = sum;
}

static double inertia_of(dl_lloyd *state) {
    int64_t tiles = dl_tiles(state->points->N, DL_CLUSTER_TILE);
    double sum = 0;
    dl_parallel(state->threads, tiles, tile_inertia, state);
    for (int64_t tile = 0; tile < tiles; tile++)
        sum += state->moves->distance[tile];
    dl_comm_sum(&sum, 1);
    return sum;
}

dltf_status dl_lloyd_run(dl_lloyd *state, int64_t iterations, double movement, bool (*step)(void *),
                         void *context) {
    for (;;) {
        int64_t changed = dl_bounds_assign(state);
        if (changed < 0)
            return DLTF_CANCELLED;
        bool same = !dl_comm_any(changed > 0) && state->iterations > 0;
        same = !dl_moves_fill_empty(state) && same;
        state->converged = state->converged || same;
        if (state->converged || state->iterations == iterations)
            break;
        state->converged = dl_moves_apply(state) <= movement;
        state->iterations++;
        if (dl_comm_any(!step(context)))
            return DLTF_CANCELLED;
        if (dl_comm_status() != DLTF_OK)
            break;
    }
    state->inertia = inertia_of(state);
    return dl_comm_status();
}
