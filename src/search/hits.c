/* Hits of a query. Distances are small integers: the k-th smallest is known from counts by distance, and
 * nothing is sorted before the end. */
#include "search/hits.h"

#include "base/integer.h"
#include "base/memory.h"

#include <string.h>

enum { FIRST_CAPACITY = 1024 };

dltf_status dl_hits_alloc(dl_hits *h, int64_t bits) {
    dltf_status status = DLTF_OK;
    *h = (dl_hits){0};
    DL_TRY_NEW(h->counts, bits + 2);
done:
    return status;
}

void dl_hits_free(dl_hits *h) {
    dl_free(h->counts);
    dl_free(h->hits);
    *h = (dl_hits){0};
}

void dl_hits_begin(dl_hits *h, int64_t k, int64_t radius, int64_t bits, bool ordered) {
    h->k = k;
    h->ordered = ordered;
    h->bound = k > 0 ? bits + 1 : dl_min(radius, bits) + 1;
    h->limit = (uint16_t)h->bound;
    h->nearer = h->count = 0;
    h->lost = false;
    memset(h->counts, 0, (size_t)(bits + 2) * sizeof *h->counts);
}

/* Makes room for one more. For k neighbours the room doubles only if half of it is not enough, so that
 * reducing costs a constant per hit. */
static void make_room(dl_hits *h) {
    if (h->k > 0) {
        dl_hits_lower(h);
        dl_hits_reduce(h);
        if (h->count <= h->capacity / 2 && h->count < h->capacity)
            return;
    }
    int64_t capacity = dl_max(FIRST_CAPACITY, 2 * h->capacity);
    uint64_t *larger = dl_grow(h->hits, h->count, capacity, sizeof *h->hits);
    if (!larger) {
        h->lost = true;
        return;
    }
    h->hits = larger;
    h->capacity = capacity;
}

void dl_hits_add(dl_hits *h, int64_t distance, int64_t row) {
    if (h->count == h->capacity && !h->lost)
        make_room(h);
    if (h->count == h->capacity)
        return;
    h->hits[h->count++] = dl_hit(distance, row);
    h->counts[distance]++;
    h->nearer += distance < h->bound;
}

void dl_hits_add_listed(dl_hits *h, int64_t first, const uint16_t *listed, int64_t count,
                        const uint16_t *distances) {
    for (int64_t i = 0; i < count; i++)
        dl_hits_add(h, distances[listed[i]], first + listed[i]);
    if (count > 0)
        dl_hits_lower(h);
}

void dl_hits_lower(dl_hits *h) {
    if (h->k == 0 || h->nearer < h->k)
        return;
    while (h->nearer >= h->k)
        h->nearer -= h->counts[--h->bound];
    h->limit = (uint16_t)(h->bound + !h->ordered);
}

void dl_hits_reduce(dl_hits *h) {
    if (h->k == 0)
        return;
    int64_t kept = 0, at_bound = h->ordered ? h->k - h->nearer : INT64_MAX;
    for (int64_t i = 0; i < h->count; i++) {
        int64_t distance = dl_hit_distance(h->hits[i]);
        if (distance < h->bound || (distance == h->bound && at_bound-- > 0))
            h->hits[kept++] = h->hits[i];
    }
    h->count = kept;
}
