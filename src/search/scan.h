/* The linear search: compares queries with a range of rows. */
#ifndef DL_SEARCH_SCAN_H
#define DL_SEARCH_SCAN_H

#include "data/index.h"
#include "kernels/kernels.h"
#include "search/hits.h"

/* The work space of one thread. */
typedef struct dl_scan {
    const dltf_index *index;
    const dl_kernels *kernels;
    int64_t words, tile_rows; /* of a code; compared at a time */
    uint64_t *planes;         /* a tile, word by word */
    uint16_t *distances, *near;
} dl_scan;

dltf_status dl_scan_alloc(dl_scan *scan, const dltf_index *index);
void dl_scan_free(dl_scan *scan);

/* Adds the rows first .. last-1 to the hits of `count` queries (rows of scan->words words). O(rows x words)
 * for each query. Many queries share the cost of fetching the rows. */
void dl_scan_rows(dl_scan *scan, int64_t first, int64_t last, const uint64_t *queries, int64_t count,
                  dl_hits *hits);

/* The code as words, zero beyond its end. */
void dl_scan_words(const uint8_t *code, int64_t width, uint64_t *words);

#endif
