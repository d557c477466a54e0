/* Greedy k-means++. */
#include "cluster/seeding.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "comm/comm.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIALS = sizeof((dl_seeding *)NULL)->squares / sizeof(double) };

dltf_status dl_seeding_alloc(dl_seeding *seeding, const dl_points *points, int64_t c) {
    dltf_status status = DLTF_OK;
    *seeding = (dl_seeding){.trials = dl_integer(2 + log((double)c), 1, MOST_TRIALS)};
    DL_TRY_NEW(seeding->candidates, seeding->trials * points->n);
    DL_TRY_NEW(seeding->distances, seeding->trials * points->N);
    DL_TRY_NEW(seeding->potentials, seeding->trials * dl_tiles(points->N, DL_CLUSTER_TILE));
    DL_TRY_NEW(seeding->nearest, points->N);
    DL_TRY_NEW(seeding->shares, seeding->trials * dl_comm_size());
    DL_TRY_NEW(seeding->rows, seeding->trials * points->n);
done:
    return status;
}

void dl_seeding_free(dl_seeding *seeding) {
    dl_free(seeding->candidates);
    dl_free(seeding->distances);
    dl_free(seeding->potentials);
    dl_free(seeding->nearest);
    dl_free(seeding->shares);
    dl_free(seeding->rows);
    *seeding = (dl_seeding){0};
}

typedef struct job {
    dl_seeding *seeding;
    dl_lloyd *state;
    int64_t trials, center, best;
} job;

/* The sample at which the running sum of `weights`, which begins with `sum`, exceeds `limit`. */
static int64_t draw(const double *weights, int64_t N, double sum, double limit) {
    int64_t last = -1;
    for (int64_t i = 0; i < N; i++) {
        if (weights[i] <= 0)
            continue;
        last = i;
        sum += weights[i];
        if (sum > limit)
            break;
    }
    return last;
}

/* The sample of this rank at `share` of the sum of all weights or, if that is 0, of the number of samples; -1
 * if it belongs to another rank. */
static int64_t draw_own(const job *j, double total, double share) {
    const dl_seeding *s = j->seeding;
    const dl_points *points = j->state->points;
    int64_t place = (int64_t)(share * (double)points->all) - points->first;
    if (!(total > 0))
        return place >= 0 && place < points->N ? place : -1;
    double before = 0, sum = 0;
    int owner = 0;
    for (int r = 0; r < dl_comm_size(); r++) {
        double own = s->shares[r * s->trials + j->best];
        if (own > 0 && sum <= share * total) { /* until one exceeds it; rounding may leave that to none */
            before = sum;
            owner = r;
        }
        sum += own;
    }
    return owner == dl_comm_rank() ? draw(s->nearest, points->N, before, share * total) : -1;
}

static void measure_tile(void *context, int64_t tile, int worker) {
    (void)worker;
    static const int32_t numbers[MOST_TRIALS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    job *j = context;
    dl_seeding *s = j->seeding;
    const dl_points *points = j->state->points;
    int64_t first = tile * DL_CLUSTER_TILE, end = dl_min(first + DL_CLUSTER_TILE, points->N);
    double *potential = s->potentials + tile * s->trials;
    memset(potential, 0, (size_t)s->trials * sizeof *potential);
    for (int64_t i = first; i < end; i++) {
        float *distance = s->distances + i * s->trials;
        dl_points_distances(points, i, s->candidates, s->squares, numbers, j->trials, distance);
        for (int64_t t = 0; t < j->trials; t++) {
            double square = (double)distance[t] * (double)distance[t];
            potential[t] += square < s->nearest[i] ? square : s->nearest[i];
        }
    }
}

static void keep_tile(void *context, int64_t tile, int worker) {
    (void)worker;
    job *j = context;
    dl_seeding *s = j->seeding;
    int64_t first = tile * DL_CLUSTER_TILE, end = dl_min(first + DL_CLUSTER_TILE, j->state->points->N);
    for (int64_t i = first; i < end; i++) {
        float distance = s->distances[i * s->trials + j->best];
        double square = (double)distance * (double)distance;
        s->nearest[i] = square < s->nearest[i] ? square : s->nearest[i];
        dl_lloyd_know(j->state, i, j->center, distance);
    }
}

/* Sets `best` to the candidate with the smallest potential, which it returns. */
static double choose(job *j, int64_t tiles) {
    dl_seeding *s = j->seeding;
    int64_t ranks = dl_comm_size(), trials = s->trials;
    double least = INFINITY, *own = s->shares + dl_comm_rank() * trials;
    memset(s->shares, 0, (size_t)(ranks * trials) * sizeof *s->shares);
    for (int64_t t = 0; t < j->trials; t++)
        for (int64_t tile = 0; tile < tiles; tile++)
            own[t] += s->potentials[tile * trials + t];
    dl_comm_sum(s->shares, ranks * trials);
    for (int64_t t = 0; t < j->trials; t++) {
        double potential = 0;
        for (int64_t r = 0; r < ranks; r++)
            potential += s->shares[r * trials + t];
        if (potential < least) {
            least = potential;
            j->best = t;
        }
    }
    return least;
}

static void draw_candidates(job *j, dl_random random, uint64_t index, double total) {
    dl_seeding *s = j->seeding;
    const dl_points *points = j->state->points;
    int64_t n = points->n;
    memset(s->rows, 0, (size_t)(s->trials * n) * sizeof *s->rows);
    for (int64_t t = 0; t < j->trials; t++) {
        int64_t i = draw_own(j, total, dl_random_uniform(random, index + (uint64_t)t));
        if (i >= 0)
            dl_points_add(points, i, 1, s->rows + t * n);
    }
    dl_comm_sum(s->rows, j->trials * n); /* of one rank, and zeros */
    for (int64_t t = 0; t < j->trials; t++) {
        s->squares[t] = 0;
        for (int64_t d = 0; d < n; d++) {
            s->candidates[t * n + d] = (float)s->rows[t * n + d];
            s->squares[t] += s->rows[t * n + d] * s->rows[t * n + d];
        }
    }
}

bool dl_seeding_run(dl_seeding *seeding, dl_lloyd *state, int64_t seed, int64_t restart) {
    const dl_points *points = state->points;
    int64_t N = points->N, n = points->n, tiles = dl_tiles(N, DL_CLUSTER_TILE);
    dl_random random = {.seed = (uint64_t)seed, .stream = DL_STREAM_CENTERS};
    job j = {.seeding = seeding, .state = state, .trials = 1};
    double total = 0;
    dl_lloyd_reset(state);
    for (int64_t i = 0; i < N; i++)
        seeding->nearest[i] = INFINITY;
    for (j.center = 0; j.center < state->c; j.center++) {
        uint64_t index = (uint64_t)(restart * state->c + j.center) * MOST_TRIALS;
        draw_candidates(&j, random, index, total);
        if (!dl_parallel_polled(state->threads, tiles, measure_tile, &j))
            return false;
        total = choose(&j, tiles);
        memcpy(state->centers + j.center * n, seeding->candidates + j.best * n,
               (size_t)n * sizeof *state->centers);
        state->square[j.center] = seeding->squares[j.best];
        dl_parallel(state->threads, tiles, keep_tile, &j);
        j.trials = seeding->trials;
    }
    return true;
}
