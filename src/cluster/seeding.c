/* Greedy k-means++. */
#include "cluster/seeding.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIALS = sizeof((dl_seeding *)NULL)->squares / sizeof(double) };

dltf_status dl_seeding_alloc(dl_seeding *seeding, const dl_points *points, int64_t c) {
    dltf_status status = DLTF_OK;
    *seeding = (dl_seeding){.trials = dl_min(2 + (int64_t)log((double)c), MOST_TRIALS)};
    DL_TRY_NEW(seeding->candidates, seeding->trials * points->n);
    DL_TRY_NEW(seeding->distances, seeding->trials * points->N);
    DL_TRY_NEW(seeding->potentials, seeding->trials * dl_tiles(points->N, DL_CLUSTER_TILE));
    DL_TRY_NEW(seeding->nearest, points->N);
done:
    return status;
}

void dl_seeding_free(dl_seeding *seeding) {
    dl_free(seeding->candidates);
    dl_free(seeding->distances);
    dl_free(seeding->potentials);
    dl_free(seeding->nearest);
    *seeding = (dl_seeding){0};
}

typedef struct job {
    dl_seeding *seeding;
    dl_lloyd *state;
    int64_t trials, center, best;
} job;

/* The sample at which the running sum of `weights` exceeds `share` of their total; without weights, that
 * share of the way. */
static int64_t draw(const double *weights, int64_t N, double total, double share) {
    double sum = 0;
    int64_t last = (int64_t)(share * (double)N);
    for (int64_t i = 0; total > 0 && i < N; i++) {
        if (weights[i] <= 0)
            continue;
        last = i;
        sum += weights[i];
        if (sum > share * total)
            break;
    }
    return last;
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
    double least = INFINITY;
    for (int64_t t = 0; t < j->trials; t++) {
        double potential = 0;
        for (int64_t tile = 0; tile < tiles; tile++)
            potential += j->seeding->potentials[tile * j->seeding->trials + t];
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
    for (int64_t t = 0; t < j->trials; t++) {
        double share = dl_random_uniform(random, index + (uint64_t)t);
        float *candidate = s->candidates + t * points->n;
        dl_points_copy(points, draw(s->nearest, points->N, total, share), candidate);
        s->squares[t] = 0;
        for (int64_t d = 0; d < points->n; d++)
            s->squares[t] += (double)candidate[d] * (double)candidate[d];
    }
}

void dl_seeding_run(dl_seeding *seeding, dl_lloyd *state, int64_t seed, int64_t restart) {
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
        dl_parallel(state->threads, tiles, measure_tile, &j);
        total = choose(&j, tiles);
        memcpy(state->centers + j.center * n, seeding->candidates + j.best * n,
               (size_t)n * sizeof *state->centers);
        state->square[j.center] = seeding->squares[j.best];
        dl_parallel(state->threads, tiles, keep_tile, &j);
        j.trials = seeding->trials;
    }
}
