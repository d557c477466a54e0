/* The linear search: compares queries with a range of rows. */
#ifndef DL_SEARCH_LINEAR_SCAN_H
#define DL_SEARCH_LINEAR_SCAN_H

#include "data/index.h"
#include "kernels/kernels.h"
#include "search/hits.h"

/* Queries that are compared with a tile before the next is fetched. */
enum { DL_SCAN_BLOCK = 64 };

/* The work space of one thread. */
typedef struct dl_linear_scan {
    const dltf_index *index;
    const dl_kernels *kernels;
    int64_t words, tile_rows; /* of a code; compared at a time */
    uint64_t *planes;         /* a tile, word by word */
    uint16_t *distances, *near;
    uint64_t *queries; /* a block of them as words */
    dl_hits hits[DL_SCAN_BLOCK];
} dl_linear_scan;

/* For blocks of at most `queries` queries. */
dltf_status dl_linear_scan_alloc(dl_linear_scan *scan, const dltf_index *index, int64_t queries);
void dl_linear_scan_free(dl_linear_scan *scan);

/* Makes a code query i of the block, without hits. */
void dl_linear_scan_begin(dl_linear_scan *scan, int64_t i, const uint8_t *code, int64_t k, int64_t radius);

/* Adds the rows first .. last-1 to the hits of the first `count` queries of the block, in O(rows x words) for
 * each. The queries share the cost of fetching the rows. */
void dl_linear_scan_rows(dl_linear_scan *scan, int64_t first, int64_t last, int64_t count);

#endif
