/* The neighbours of one query that a search has found so far. */
#ifndef DL_SEARCH_HITS_H
#define DL_SEARCH_HITS_H

#include "data/index.h"

/* A hit is one number, the distance in its high 16 bits and the row in the others, so that numbers ascend in
 * the order of the result. */
static inline uint64_t dl_hit(int64_t distance, int64_t row) {
    return (uint64_t)distance << DL_INDEX_ROW_BITS | (uint64_t)row;
}

static inline int64_t dl_hit_distance(uint64_t hit) {
    return (int64_t)(hit >> DL_INDEX_ROW_BITS);
}

static inline int64_t dl_hit_row(uint64_t hit) {
    return (int64_t)(hit & ((1ull << DL_INDEX_ROW_BITS) - 1));
}

typedef struct dl_hits {
    int64_t k;       /* 0: all nearer than the limit */
    bool ordered;    /* rows arrive in ascending order */
    uint16_t limit;  /* only nearer rows are needed; falls as hits arrive if k > 0 */
    int64_t bound;   /* for k > 0: the k-th smallest distance so far; beyond all as long as there are fewer */
    int64_t nearer;  /* hits nearer than the bound, fewer than k */
    int64_t *counts; /* hits by distance; for k > 0 */
    uint64_t *hits;
    int64_t count, capacity;
    bool lost; /* hits were dropped for lack of memory */
} dl_hits;

/* For codes of up to `bits` bits. */
dltf_status dl_hits_alloc(dl_hits *h, int64_t bits);
void dl_hits_free(dl_hits *h);

/* Begins a new query: the k nearest or, if k is 0, all up to the radius. */
void dl_hits_begin(dl_hits *h, int64_t k, int64_t radius, int64_t bits, bool ordered);

/* Adds a row nearer than the limit. */
void dl_hits_add(dl_hits *h, int64_t distance, int64_t row);

/* Adds the rows first + listed[i] at distances[listed[i]], i < count, and lowers the limit. */
void dl_hits_add_listed(dl_hits *h, int64_t first, const uint16_t *listed, int64_t count,
                        const uint16_t *distances);

/* Lowers the limit after rows were added. */
void dl_hits_lower(dl_hits *h);

/* Drops hits that are not among the k nearest. If rows arrive in any order, those at the k-th distance stay,
 * even if they are more. */
void dl_hits_reduce(dl_hits *h);

#endif
