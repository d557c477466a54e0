/* The balls of spherical hashing: radii, overlaps, and how they move. */
#include "hash/balls.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/kernels.h"
#include "linalg/blas.h"
#include "retrieval/smallest.h"

#include <math.h>
#include <string.h>

/* Balls of a task, and samples that a first center is the mean of. */
enum { PANEL = 8, FIRST_SAMPLES = 10 };

static void place_centers(dl_balls *b, int64_t seed) {
    dl_random random = {(uint64_t)seed, DL_STREAM_HASH};
    for (int64_t j = 0; j < b->m; j++)
        for (int64_t s = 0; s < FIRST_SAMPLES; s++) {
            const float *x = b->X + dl_random_below(random, (uint64_t)(j * FIRST_SAMPLES + s), b->N) * b->n;
            for (int64_t e = 0; e < b->n; e++)
                b->centers[j * b->n + e] += (double)x[e] / FIRST_SAMPLES;
        }
}

dltf_status dl_balls_alloc(dl_balls *b, const float *X, int64_t N, int64_t n, int64_t m, int64_t seed,
                           int threads) {
    dltf_status status = DLTF_OK;
    *b = (dl_balls){.X = X, .N = N, .n = n, .m = m, .threads = threads, .words = dl_tiles(N, 64)};
    DL_TRY_NEW(b->centers, m * n);
    DL_TRY_NEW(b->radii, m);
    DL_TRY_NEW(b->inside, m * b->words);
    DL_TRY_NEW(b->overlaps, m * m);
    DL_TRY_NEW(b->square, N);
    DL_TRY_NEW(b->distances, threads * (PANEL + 1) * N);
    DL_TRY_NEW(b->centers32, m * n);
    DL_TRY_NEW(b->forces, m * m);
    DL_TRY_NEW(b->moves, m * n);
    for (int64_t i = 0; i < N; i++)
        b->square[i] = (float)dl_kernels_now()->square(X + i * n, n);
    place_centers(b, seed);
done:
    return status;
}

void dl_balls_free(dl_balls *b) {
    dl_free(b->centers);
    dl_free(b->radii);
    dl_free(b->inside);
    dl_free(b->overlaps);
    dl_free(b->square);
    dl_free(b->distances);
    dl_free(b->centers32);
    dl_free(b->forces);
    dl_free(b->moves);
}

/* Radius and samples of ball j, from ||x||^2 - 2 <c, x> of all samples. */
static void measure_ball(dl_balls *b, int64_t j, const float *distances, float *room) {
    const double *center = b->centers + j * b->n;
    uint64_t *inside = b->inside + j * b->words;
    memcpy(room, distances, (size_t)b->N * sizeof *room);
    int64_t half = dl_max(b->N / 2, 1);
    float cut = dl_smallest(room, b->N, half);
    double square = (double)cut + dl_kernels_now()->dot(center, center, b->n);
    b->radii[j] = sqrt(fmax(square, 0));
    memset(inside, 0, (size_t)b->words * sizeof *inside);
    for (int64_t i = 0; i < b->N; i++)
        inside[i / 64] |= (uint64_t)(distances[i] <= cut) << i % 64;
}

static void measure_panel(void *context, int64_t panel, int worker) {
    dl_balls *b = context;
    int64_t first = panel * PANEL, count = dl_min(PANEL, b->m - first);
    float *distances = b->distances + worker * (PANEL + 1) * b->N, *room = distances + PANEL * b->N;
    dl_gemm32(DL_PLAIN, DL_TRANSPOSED, count, b->N, b->n, b->centers32 + first * b->n, b->n, b->X, b->n,
              distances, b->N);
    for (int64_t j = 0; j < count; j++) {
        float *row = distances + j * b->N;
        for (int64_t i = 0; i < b->N; i++)
            row[i] = b->square[i] - 2 * row[i];
        measure_ball(b, first + j, row, room);
    }
}

static void count_overlaps(void *context, int64_t i, int worker) {
    (void)worker;
    dl_balls *b = context;
    const uint64_t *a = b->inside + i * b->words;
    for (int64_t j = i; j < b->m; j++) {
        const uint64_t *other = b->inside + j * b->words;
        int64_t both = 0;
        for (int64_t w = 0; w < b->words; w++)
            both += __builtin_popcountll(a[w] & other[w]);
        b->overlaps[i * b->m + j] = b->overlaps[j * b->m + i] = both;
    }
}

bool dl_balls_measure(dl_balls *b) {
    for (int64_t e = 0; e < b->m * b->n; e++)
        b->centers32[e] = (float)b->centers[e];
    return dl_parallel_polled(b->threads, dl_tiles(b->m, PANEL), measure_panel, b) &&
           dl_parallel_polled(b->threads, b->m, count_overlaps, b);
}

/* How far the overlap of two balls is from a quarter of the samples, relative to that. */
static double excess(const dl_balls *b, int64_t i, int64_t j) {
    double quarter = (double)b->N / 4;
    return ((double)b->overlaps[i * b->m + j] - quarter) / quarter;
}

void dl_balls_error(const dl_balls *b, double *mean, double *deviation) {
    double sum = 0, squares = 0, pairs = (double)(b->m * (b->m - 1)) / 2;
    *mean = 0;
    for (int64_t i = 0; i < b->m; i++)
        for (int64_t j = 0; j < i; j++) {
            double e = excess(b, i, j);
            *mean += fabs(e) / pairs;
            sum += e / pairs;
            squares += e * e / pairs;
        }
    *deviation = sqrt(fmax(squares - sum * sum, 0));
}

/* c_i += 1/m sum_j 1/2 excess_ij (c_i - c_j). */
void dl_balls_move(dl_balls *b) {
    int64_t m = b->m, n = b->n;
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < m; j++) {
            double force = i == j ? 0 : excess(b, i, j) / (2 * (double)m);
            b->forces[i * m + j] = -force;
            sum += force;
        }
        b->forces[i * m + i] = sum;
    }
    dl_gemm(b->threads, DL_PLAIN, DL_PLAIN, m, n, m, 1, b->forces, b->centers, 0, b->moves);
    for (int64_t e = 0; e < m * n; e++)
        b->centers[e] += b->moves[e];
}
