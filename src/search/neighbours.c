/* The neighbours of all queries in compressed rows: hits are sorted by counting, since distances are small
 * integers. */
#include "search/neighbours.h"

#include "base/integer.h"
#include "base/memory.h"

#include <string.h>

void dl_found_take(dl_found *found, dl_hits *hits) {
    dl_hits_lower(hits);
    dl_hits_reduce(hits);
    found->hits = dl_alloc(hits->count, sizeof *found->hits);
    found->lost = hits->lost || !found->hits;
    found->count = found->lost ? 0 : hits->count;
    if (found->count > 0)
        memcpy(found->hits, hits->hits, (size_t)found->count * sizeof *found->hits);
}

void dl_found_free(dl_found *found, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        dl_free(found[i].hits);
        found[i] = (dl_found){0};
    }
}

dltf_status dl_neighbours_new(int64_t queries, int64_t k, const dltf_index *index, dltf_neighbours **made) {
    dltf_status status = DLTF_OK;
    dltf_neighbours *n = NULL;
    int64_t entries = 0;
    if (!dl_multiply(queries, k, &entries))
        return dl_fail(DLTF_MEMORY, "not enough memory for %lld neighbours of %lld queries", (long long)k,
                       (long long)queries);
    DL_TRY_HANDLE(n, NEIGHBOURS);
    n->bits = 8 * index->width;
    n->capacity = entries;
    DL_TRY_NEW(n->indptr, queries + 1);
    DL_TRY_NEW(n->indices, entries);
    DL_TRY_NEW(n->distances, entries);
    DL_TRY_NEW(n->counts, n->bits + 2);
    n->view = (dltf_neighbours_view){.queries = queries, .k = k, .rows = index->rows};
    *made = n;
    n = NULL;
done:
    dltf_neighbours_free(n);
    return status;
}

/* Only for neighbours within a radius: the k nearest fit from the start. */
static dltf_status reserve(dltf_neighbours *n, int64_t used, int64_t more) {
    if (used + more <= n->capacity)
        return DLTF_OK;
    int64_t capacity = dl_max(used + more, 2 * n->capacity);
    int64_t *indices = dl_grow(n->indices, used, capacity, sizeof *indices);
    if (!indices)
        return DLTF_MEMORY;
    n->indices = indices;
    int32_t *distances = dl_grow(n->distances, used, capacity, sizeof *distances);
    if (!distances)
        return DLTF_MEMORY;
    n->distances = distances;
    n->capacity = capacity;
    return DLTF_OK;
}

/* Replaces the number of hits at each distance by the number of nearer ones. */
static void add_up(int64_t *counts, int64_t count) {
    int64_t sum = 0;
    for (int64_t d = 0; d < count; d++) {
        int64_t here = counts[d];
        counts[d] = sum;
        sum += here;
    }
}

dltf_status dl_neighbours_append(dltf_neighbours *n, const dl_found *found, int64_t parts) {
    int64_t total = 0, first = n->indptr[n->done];
    memset(n->counts, 0, (size_t)(n->bits + 2) * sizeof *n->counts);
    for (int64_t p = 0; p < parts; p++) {
        if (found[p].lost)
            return dl_fail(DLTF_MEMORY, "not enough memory for the neighbours of query %lld",
                           (long long)n->done);
        total += found[p].count;
        for (int64_t i = 0; i < found[p].count; i++)
            n->counts[dl_hit_distance(found[p].hits[i])]++;
    }
    if (total < n->view.k)
        return dl_fail_about(DLTF_FORMAT, DLTF_SUBJECT_DATABASE,
                             "is corrupt: its tables do not list all rows");
    int64_t kept = n->view.k > 0 ? dl_min(total, n->view.k) : total;
    dltf_status status = reserve(n, first, kept);
    if (status != DLTF_OK)
        return status;
    add_up(n->counts, n->bits + 2);
    for (int64_t p = 0; p < parts; p++)
        for (int64_t i = 0; i < found[p].count; i++) {
            int64_t distance = dl_hit_distance(found[p].hits[i]), place = n->counts[distance]++;
            if (place >= kept)
                continue;
            n->indices[first + place] = dl_hit_row(found[p].hits[i]);
            n->distances[first + place] = (int32_t)distance;
        }
    n->indptr[++n->done] = first + kept;
    return DLTF_OK;
}
