/* Which samples of a database are relevant to a query: those of the same label, or its neighbours. */
#include "retrieval/relevance.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "retrieval/distances.h"

#include <math.h>
#include <string.h>

static dltf_status relevance_alloc(int64_t queries, int64_t samples, dltf_relevance **relevance) {
    dltf_status status = DLTF_OK;
    dltf_relevance *made = NULL;
    DL_TRY_NEW(made, 1);
    made->queries = queries;
    made->samples = samples;
    *relevance = made;
    DL_TRY_NEW(made->start, queries + 1);
done:
    return status;
}

void dltf_relevance_free(dltf_relevance *relevance) {
    if (!relevance)
        return;
    dl_free(relevance->start);
    dl_free(relevance->index);
    dl_free(relevance->query_labels);
    dl_free(relevance->labels);
    dl_free(relevance);
}

double dltf_relevance_radius(const dltf_relevance *relevance) {
    return relevance ? relevance->radius : 0;
}

/* ---- Labels ---- */

static dltf_status copy_labels(const int64_t *labels, int64_t count, int64_t **copy) {
    *copy = DL_NEW(int64_t, count);
    if (!*copy)
        return DLTF_MEMORY;
    memcpy(*copy, labels, (size_t)count * sizeof *labels);
    return DLTF_OK;
}

dltf_status dltf_relevance_by_labels(const int64_t *labels, int64_t samples, const int64_t *query_labels,
                                     int64_t queries, dltf_relevance **relevance) {
    DL_CLEAR(relevance);
    DL_REQUIRE(query_labels, labels, relevance);
    dltf_status status = DLTF_OK;
    dltf_relevance *made = NULL;
    if (queries < 1 || samples < 1 || queries > DL_MOST_ELEMENTS || samples > DL_MOST_ELEMENTS)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_LABELS,
                             "%lld queries and %lld samples: expected at least one of both",
                             (long long)queries, (long long)samples);
    DL_TRY(relevance_alloc(queries, samples, &made));
    DL_TRY(copy_labels(query_labels, queries, &made->query_labels));
    DL_TRY(copy_labels(labels, samples, &made->labels));
    *relevance = made;
    made = NULL;
done:
    dltf_relevance_free(made);
    return status;
}

/* ---- The nearest ---- */

/* For each query of a block, a heap of the nearest samples so far: the farthest of them on top. */
typedef struct nearest {
    dltf_relevance *found;
    int64_t count; /* of neighbours */
    double *square;
    int32_t *index; /* DL_DISTANCE_QUERIES x count each */
    double sum;     /* of the distances of the last neighbours */
} nearest;

/* Ties go to the lowest index. */
static bool farther(double a, int32_t a_index, double b, int32_t b_index) {
    return a > b || (a == b && a_index > b_index);
}

/* Replaces the top of a full heap. */
static void replace_top(double *square, int32_t *index, int64_t count, double distance, int32_t sample) {
    int64_t at = 0;
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && farther(square[child + 1], index[child + 1], square[child], index[child]))
            child++;
        if (farther(distance, sample, square[child], index[child]))
            break;
        square[at] = square[child];
        index[at] = index[child];
        at = child;
    }
    square[at] = distance;
    index[at] = sample;
}

/* Samples come in ascending order: one at the same distance as the farthest does not replace it. */
static void visit_nearest(void *context, int64_t query, int64_t first, const double *distances,
                          int64_t count) {
    const nearest *n = context;
    int64_t place = query % DL_DISTANCE_QUERIES * n->count;
    double *square = n->square + place;
    for (int64_t i = 0; first == 0 && i < n->count; i++)
        square[i] = INFINITY;
    for (int64_t i = 0; i < count; i++)
        if (distances[i] < square[0])
            replace_top(square, n->index + place, n->count, distances[i], (int32_t)(first + i));
}

static dltf_status finish_nearest(void *context, int64_t first, int64_t count) {
    nearest *n = context;
    dltf_relevance *found = n->found;
    for (int64_t q = 0; q < count; q++) {
        if (found->index)
            memcpy(found->index + (first + q) * n->count, n->index + q * n->count,
                   (size_t)n->count * sizeof *found->index);
        found->start[first + q + 1] = (first + q + 1) * n->count;
        n->sum += sqrt(n->square[q * n->count]);
    }
    return DLTF_OK;
}

/* Fills `found` with neighbours if it has room for them; the mean distance of the last ones. */
static dltf_status find_nearest(dltf_matrix queries, dltf_matrix database, int64_t count, int threads,
                                dl_meter *meter, dltf_relevance *found, double *mean) {
    dltf_status status = DLTF_OK;
    nearest n = {.found = found, .count = count};
    dl_distance_visitor visitor = {&n, visit_nearest, finish_nearest};
    int64_t block = dl_min(queries.rows, DL_DISTANCE_QUERIES);
    DL_TRY_NEW(n.square, block * count);
    DL_TRY_NEW(n.index, block * count);
    DL_TRY(dl_all_distances(queries, database, threads, meter, &visitor));
    *mean = n.sum / (double)queries.rows;
done:
    dl_free(n.square);
    dl_free(n.index);
    return status;
}

static dltf_status check(dltf_matrix queries, dltf_matrix database, int64_t count) {
    int64_t samples = database.rows, entries = 0;
    dltf_status status = dl_matrix_check(queries, DLTF_SUBJECT_QUERIES);
    if (status == DLTF_OK)
        status = dl_matrix_check(database, DLTF_SUBJECT_DATABASE);
    if (status != DLTF_OK)
        return status;
    if (count >= 1 && count <= samples) {
        if (dl_multiply(queries.rows, count, &entries))
            return DLTF_OK;
        return dl_fail_about(DLTF_MEMORY, DLTF_SUBJECT_QUERIES,
                             "%lld neighbours of each of %lld queries are too many", (long long)count,
                             (long long)queries.rows);
    }
    return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATABASE,
                         "%lld neighbours are out of range: the database has %lld samples", (long long)count,
                         (long long)samples);
}

dltf_status dltf_relevance_by_nearest(dltf_matrix database, dltf_matrix queries, int64_t count,
                                      int64_t threads, dltf_progress_fn progress, void *context,
                                      dltf_relevance **relevance) {
    DL_CLEAR(relevance);
    DL_REQUIRE(relevance);
    DL_REQUIRE_THREADS(threads);
    dltf_status status = check(queries, database, count);
    dl_meter meter = dl_meter_new("neighbours", progress, context, 0);
    dltf_relevance *made = NULL;
    double mean = 0;
    if (status != DLTF_OK)
        return status;
    DL_TRY(relevance_alloc(queries.rows, database.rows, &made));
    DL_TRY_NEW(made->index, queries.rows * count);
    DL_TRY(find_nearest(queries, database, count, dl_thread_count(threads), &meter, made, &mean));
    *relevance = made;
    made = NULL;
done:
    dltf_relevance_free(made);
    return status;
}

/* ---- A radius ---- */

/* For each query of a block, one flag per sample. */
typedef struct within {
    dltf_relevance *found;
    double square;
    uint8_t *flags; /* DL_DISTANCE_QUERIES x samples */
} within;

static void visit_within(void *context, int64_t query, int64_t first, const double *distances,
                         int64_t count) {
    const within *w = context;
    uint8_t *flags = w->flags + query % DL_DISTANCE_QUERIES * w->found->samples + first;
    for (int64_t i = 0; i < count; i++)
        flags[i] = distances[i] <= w->square;
}

/* Appends the samples with a flag. */
static dltf_status append(dltf_relevance *found, const uint8_t *flags, int64_t *used) {
    for (int64_t i = 0; i < found->samples; i++) {
        if (!flags[i])
            continue;
        if (*used == found->capacity) {
            int64_t capacity = 2 * found->capacity + 1024;
            int32_t *index = dl_grow(found->index, *used, capacity, sizeof *index);
            if (!index)
                return DLTF_MEMORY;
            found->index = index;
            found->capacity = capacity;
        }
        found->index[(*used)++] = (int32_t)i;
    }
    return DLTF_OK;
}

static dltf_status finish_within(void *context, int64_t first, int64_t count) {
    const within *w = context;
    dltf_relevance *found = w->found;
    for (int64_t q = 0; q < count; q++) {
        int64_t used = found->start[first + q];
        dltf_status status = append(found, w->flags + q * found->samples, &used);
        if (status != DLTF_OK)
            return status;
        found->start[first + q + 1] = used;
    }
    return DLTF_OK;
}

dltf_status dltf_relevance_by_radius(dltf_matrix database, dltf_matrix queries, int64_t count,
                                     int64_t threads, dltf_progress_fn progress, void *context,
                                     dltf_relevance **relevance) {
    DL_CLEAR(relevance);
    DL_REQUIRE(relevance);
    DL_REQUIRE_THREADS(threads);
    dltf_status status = check(queries, database, count);
    dl_meter meter = dl_meter_new("neighbours", progress, context, 0);
    within w = {.flags = NULL};
    dltf_relevance *made = NULL;
    if (status != DLTF_OK)
        return status;
    DL_TRY(relevance_alloc(queries.rows, database.rows, &made));
    DL_TRY(find_nearest(queries, database, count, dl_thread_count(threads), &meter, made, &made->radius));
    w = (within){.found = made, .square = made->radius * made->radius};
    DL_TRY_NEW(w.flags, dl_min(queries.rows, DL_DISTANCE_QUERIES) * database.rows);
    dl_distance_visitor visitor = {&w, visit_within, finish_within};
    DL_TRY(dl_all_distances(queries, database, dl_thread_count(threads), &meter, &visitor));
    *relevance = made;
    made = NULL;
done:
    dl_free(w.flags);
    dltf_relevance_free(made);
    return status;
}
