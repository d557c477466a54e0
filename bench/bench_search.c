/* Search among random binary codes: the linear search at every kernel level, and multi-index hashing against
 * the linear search for several radii, alternately. */
#include "bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "kernels/kernels.h"

#include <math.h>

enum { ROUNDS = 5, MOST_METHODS = 8, FLAT_QUERIES = 64 };

typedef struct shape {
    int64_t rows, bytes, queries, k; /* k = 0: radii */
} shape;

static const shape shapes[] = {{59000, 32, 1000, 100}, {1000000, 8, 200, 100}, {10000000, 8, 1000, 0}};
static const int64_t radii[] = {0, 2, 4, 6, 8};

enum { SHAPES = sizeof shapes / sizeof *shapes, RADII = sizeof radii / sizeof *radii };

typedef struct workload {
    uint8_t *codes, *queries;
    dltf_index *index;
} workload;

/* Codes are random; a query is a code with some bits changed, so that there is something to find. */
static void fill(shape s, workload *w) {
    dl_random random = {.seed = 1, .stream = DL_STREAM_BASELINE};
    uint64_t draws = 0;
    for (int64_t i = 0; i < s.rows * s.bytes; i++)
        w->codes[i] = (uint8_t)dl_random_below(random, draws++, 256);
    for (int64_t q = 0; q < s.queries; q++) {
        uint8_t *query = w->queries + q * s.bytes;
        int64_t row = dl_random_below(random, draws++, s.rows);
        for (int64_t b = 0; b < s.bytes; b++)
            query[b] = w->codes[row * s.bytes + b];
        for (int64_t flips = dl_random_below(random, draws++, 8); flips > 0; flips--) {
            int64_t bit = dl_random_below(random, draws++, 8 * s.bytes);
            query[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

static dltf_status make_workload(shape s, workload *w) {
    dltf_status status = DLTF_OK;
    *w = (workload){0};
    DL_TRY_NEW(w->codes, s.rows * s.bytes);
    DL_TRY_NEW(w->queries, s.queries * s.bytes);
    fill(s, w);
    DL_TRY(dltf_index_new(dltf_matrix_u8(w->codes, s.rows, s.bytes), &w->index));
    if (s.k == 0)
        DL_TRY(dltf_index_add_tables(w->index, 0, NULL, NULL));
done:
    return status;
}

static void free_workload(workload *w) {
    dltf_index_free(w->index);
    dl_free(w->codes);
    dl_free(w->queries);
}

/* One way to search. */
typedef struct method {
    const dl_kernels *kernels;
    dltf_search_options options;
    int64_t queries;
    double best; /* seconds per query */
} method;

/* All methods take turns. */
static dltf_status measure(const shape *s, const workload *w, method *methods, int count) {
    dltf_status status = DLTF_OK;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++) {
            method *m = &methods[i];
            dltf_neighbours *found = NULL;
            dl_kernels_force(m->kernels);
            double start = bench_cpu_seconds();
            DL_TRY(dltf_search(w->index, dltf_matrix_u8(w->queries, m->queries, s->bytes), &m->options, NULL,
                               NULL, &found));
            m->best = fmin(m->best, (bench_cpu_seconds() - start) / (double)m->queries);
            dltf_neighbours_free(found);
        }
done:
    dl_kernels_force(NULL);
    return status;
}

static dltf_status add_rows(json_t *rows, const shape *s, const method *methods, int count) {
    dltf_status status = DLTF_OK;
    for (int i = 0; i < count && status == DLTF_OK; i++) {
        const method *m = &methods[i];
        bool flat = m->options.method == DLTF_SEARCH_FLAT;
        status = bench_append(rows, json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:f}", "method",
                                              flat ? "flat" : "multi-index", "kernels", m->kernels->level,
                                              "codes", (json_int_t)s->rows, "bits",
                                              (json_int_t)(8 * s->bytes), "k", (json_int_t)m->options.k,
                                              "radius", (json_int_t)m->options.radius, "us_per_query",
                                              1e6 * m->best, "ratio_to_flat", m->best / methods[0].best));
    }
    return status;
}

/* Levels that share their kernels with the level above are left out. */
static dltf_status bench_levels(json_t *rows, const shape *s, const workload *w) {
    method methods[MOST_METHODS];
    const dl_kernels *kernels = NULL, *above = NULL;
    int count = 0;
    for (int l = 0; count < MOST_METHODS && (kernels = dl_kernels_level(l)); l++, above = kernels)
        if (!above || kernels->hamming != above->hamming)
            methods[count++] = (method){
                kernels, {.k = s->k, .method = DLTF_SEARCH_FLAT, .threads = 1}, s->queries, INFINITY};
    dltf_status status = measure(s, w, methods, count);
    return status == DLTF_OK ? add_rows(rows, s, methods, count) : status;
}

static dltf_status bench_radius(json_t *rows, const shape *s, const workload *w, int64_t radius) {
    dltf_search_options flat = {.size = sizeof(dltf_search_options),
                                .radius = radius,
                                .method = DLTF_SEARCH_FLAT,
                                .threads = 1},
                        tables = flat;
    tables.method = DLTF_SEARCH_MULTI_INDEX;
    method methods[] = {{dl_kernels_level(0), flat, FLAT_QUERIES, INFINITY},
                        {dl_kernels_level(0), tables, s->queries, INFINITY}};
    dltf_status status = measure(s, w, methods, 2);
    return status == DLTF_OK ? add_rows(rows, s, methods, 2) : status;
}

static dltf_status bench_shape(json_t *rows, const shape *s) {
    workload w;
    dltf_status status = make_workload(*s, &w);
    if (s->k > 0 && status == DLTF_OK)
        status = bench_levels(rows, s, &w);
    for (int i = 0; i < RADII && s->k == 0 && status == DLTF_OK; i++)
        status = bench_radius(rows, s, &w, radii[i]);
    free_workload(&w);
    return status;
}

static dltf_status run_search(json_t *rows) {
    for (int i = 0; i < SHAPES; i++) {
        dltf_status status = bench_shape(rows, &shapes[i]);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

const benchmark benchmark_search = {
    .name = "search",
    .summary = "Hamming search: the linear search with every kernel, and multi-index hashing, one thread",
    .caption = "CPU microseconds per query, and ratios to the linear search with the best kernel; k = 0: all "
               "within the radius.",
    .rounds = ROUNDS,
    .run = run_search,
};
