/* The paper's synthetic problem: a Gaussian dictionary, codes with k entries (ones in the paper), noisy
 * samples. Every sample's numbers are drawn by its index, so a larger problem begins with the samples of a
 * smaller one, for any number of threads. */
#include "base/handle.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "base/random.h"
#include "data/codes.h"
#include "data/matrix.h"
#include "data/synthetic_options.h"
#include "dltf/measure.h"

#include <math.h>
#include <string.h>

enum { TRAINING, TEST, SETS, TILE = 64 };

struct dltf_synthetic {
    dl_handle handle;
    dltf_synthetic_options options;
    float *W0; /* m x n */
    float *X[SETS];
    dltf_codes *Z[SETS];
};

static dltf_status check(const dltf_synthetic_options *options) {
    dltf_status status = dl_option_check(dl_synthetic_option_table(), options, NULL);
    if (status == DLTF_OK && options->k > options->m)
        status = dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than the %lld atoms (m)",
                                (long long)options->k, (long long)options->m);
    return status;
}

/* The rows, each with n random numbers and n sums of k terms, that take about 0.1 s on one core. A term takes
 * 1 ns, a number as long as 50 terms; supports take k^2. */
static int64_t rows_per_report(int64_t n, int64_t k) {
    const double TERMS = 1e8, TERMS_PER_NUMBER = 50;
    double terms = (double)n * (TERMS_PER_NUMBER + (double)k) + (double)k * (double)k;
    return dl_integer(TERMS / terms, 1, INT64_MAX);
}

static dltf_status cancelled(void) {
    return dl_fail(DLTF_CANCELLED, "drawing samples was cancelled");
}

/* W0: independent Gaussian entries, rows scaled to norm 1. */
static dltf_status draw_dictionary(dltf_synthetic *problem, dl_meter *meter) {
    int64_t m = problem->options.m, n = problem->options.n;
    dl_random random = {(uint64_t)problem->options.seed, DL_STREAM_DICTIONARY};
    int64_t some = rows_per_report(n, 0);
    double *row = DL_NEW(double, n);
    bool wanted = true;
    if (!row)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < m && wanted; i++) {
        for (int64_t j = 0; j < n; j++)
            row[j] = dl_random_normal(random, (uint64_t)(i * n + j));
        if (!dl_normalise(row, n))
            row[0] = 1; /* n zeros in a row: possible, but extremely unlikely */
        for (int64_t j = 0; j < n; j++)
            problem->W0[i * n + j] = (float)row[j];
        if (i % some == some - 1 || i == m - 1)
            wanted = dl_meter_add(meter, i % some + 1);
    }
    dl_free(row);
    return wanted ? DLTF_OK : cancelled();
}

/* A uniformly random k-subset of 0 .. m-1, ascending (Floyd's method: k draws, no rejection). */
static void draw_support(dl_random random, uint64_t first, int64_t m, int64_t k, int32_t *support) {
    for (int64_t count = 0; count < k; count++) {
        int64_t last = m - k + count; /* larger than all chosen so far */
        int64_t atom = dl_random_below(random, first + (uint64_t)count, last + 1), place = count;
        while (place > 0 && support[place - 1] > atom)
            place--;
        if (place > 0 && support[place - 1] == atom) {
            support[count] = (int32_t)last;
        } else {
            memmove(support + place + 1, support + place, (size_t)(count - place) * sizeof *support);
            support[place] = (int32_t)atom;
        }
    }
}

/* Entry `index` of all codes; never 0. */
static float draw_entry(dltf_entries kind, dl_random random, uint64_t index) {
    double value = 1;
    if (kind == DLTF_ENTRIES_SIGNS)
        value = dl_random_below(random, index, 2) ? 1 : -1;
    if (kind == DLTF_ENTRIES_UNIFORM)
        value = 0.5 + dl_random_uniform(random, index);
    if (kind == DLTF_ENTRIES_GAUSSIAN)
        value = dl_random_normal(random, index);
    return value != 0 ? (float)value : 1;
}

typedef struct draw {
    dltf_synthetic *problem;
    int set;
    int64_t first; /* tile */
} draw;

/* x = W0 z + noise for the samples of one tile. */
static void draw_tile(void *context, int64_t tile, int worker) {
    (void)worker;
    const draw *d = context;
    dltf_synthetic_options o = d->problem->options;
    uint64_t seed = (uint64_t)o.seed;
    dl_random place = {seed, d->set == TEST ? DL_STREAM_SUPPORT_TEST : DL_STREAM_SUPPORT};
    dl_random noise = {seed, d->set == TEST ? DL_STREAM_NOISE_TEST : DL_STREAM_NOISE};
    dl_random entry = {seed, d->set == TEST ? DL_STREAM_ENTRY_TEST : DL_STREAM_ENTRY};
    dltf_codes *Z = d->problem->Z[d->set];
    int64_t first = (d->first + tile) * TILE, last = dl_min(first + TILE, o.samples);
    for (int64_t i = first; i < last; i++) {
        int32_t *support = Z->indices + i * o.k;
        float *x = d->problem->X[d->set] + i * o.n, *z = Z->values + i * o.k;
        draw_support(place, (uint64_t)(i * o.k), o.m, o.k, support);
        for (int64_t e = 0; e < o.k; e++)
            z[e] = draw_entry(o.entries, entry, (uint64_t)(i * o.k + e));
        Z->indptr[i + 1] = (i + 1) * o.k;
        for (int64_t j = 0; j < o.n; j++) {
            double sum = o.noise > 0 ? o.noise * dl_random_normal(noise, (uint64_t)(i * o.n + j)) : 0;
            for (int64_t e = 0; e < o.k; e++)
                sum += (double)z[e] * (double)d->problem->W0[support[e] * o.n + j];
            x[j] = (float)sum;
        }
    }
}

static dltf_status draw_set(dltf_synthetic *problem, int set, dl_meter *meter) {
    enum { TILES_PER_THREAD = 4 }; /* at least, so that all threads are busy */
    int64_t samples = problem->options.samples, tiles = dl_tiles(samples, TILE);
    int threads = dl_thread_count(0);
    int64_t some =
        dl_max(TILES_PER_THREAD * threads, rows_per_report(problem->options.n, problem->options.k) / TILE);
    for (draw context = {problem, set, 0}; context.first < tiles; context.first += some) {
        int64_t count = dl_min(some, tiles - context.first), done = context.first * TILE;
        dl_parallel(threads, count, draw_tile, &context);
        if (!dl_meter_add(meter, dl_min(count * TILE, samples - done)))
            return cancelled();
    }
    return DLTF_OK;
}

dltf_status dltf_synthetic_new(const dltf_synthetic_options *options, dltf_progress_fn progress,
                               void *context, dltf_synthetic **problem) {
    DL_CLEAR(problem);
    DL_REQUIRE(problem);
    dltf_synthetic *made = NULL;
    dltf_synthetic_options o;
    dltf_status status = DL_READ_OPTIONS(synthetic, options, &o);
    if (status == DLTF_OK)
        status = check(&o);
    if (status != DLTF_OK)
        return status;
    dl_meter meter = dl_meter_new("drawing samples", progress, context, o.m + SETS * o.samples);
    DL_TRY_HANDLE(made, SYNTHETIC);
    made->options = o;
    DL_TRY_NEW(made->W0, o.m * o.n);
    DL_TRY(draw_dictionary(made, &meter));
    for (int set = TRAINING; set < SETS; set++) {
        DL_TRY_NEW(made->X[set], o.samples * o.n);
        DL_TRY(dl_codes_alloc(o.samples, o.m, o.samples * o.k, &made->Z[set]));
        DL_TRY(draw_set(made, set, &meter));
    }
    *problem = made;
    made = NULL;
done:
    dltf_synthetic_free(made);
    return status;
}

dltf_matrix dltf_synthetic_dictionary(const dltf_synthetic *problem) {
    if (!problem)
        return (dltf_matrix){0};
    return dltf_matrix_f32(problem->W0, problem->options.m, problem->options.n);
}

dltf_matrix dltf_synthetic_samples(const dltf_synthetic *problem, bool test) {
    if (!problem)
        return (dltf_matrix){0};
    return dltf_matrix_f32(problem->X[test ? TEST : TRAINING], problem->options.samples, problem->options.n);
}

const dltf_codes *dltf_synthetic_codes(const dltf_synthetic *problem, bool test) {
    return problem ? problem->Z[test ? TEST : TRAINING] : NULL;
}

void dltf_synthetic_free(dltf_synthetic *problem) {
    if (!problem)
        return;
    dl_free(problem->W0);
    for (int set = TRAINING; set < SETS; set++) {
        dl_free(problem->X[set]);
        dltf_codes_free(problem->Z[set]);
    }
    dl_free(problem);
}
