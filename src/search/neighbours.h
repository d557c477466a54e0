/* The result of a search, made query by query. */
#ifndef DL_SEARCH_NEIGHBOURS_H
#define DL_SEARCH_NEIGHBOURS_H

#include "data/neighbours.h"
#include "search/hits.h"

/* The hits of a query in a part of the database, copied out of a thread's work space. */
typedef struct dl_found {
    uint64_t *hits;
    int64_t count;
    bool lost;
} dl_found;

/* Takes the hits of a thread, which are reduced to those that matter. */
void dl_found_take(dl_found *found, dl_hits *hits);
void dl_found_free(dl_found *found, int64_t count);

dltf_status dl_neighbours_new(int64_t queries, int64_t k, const dltf_index *index, dltf_neighbours **made);

/* Appends the next query, whose hits are in `parts` pieces. Rows at equal distance must ascend within and
 * between the pieces. */
dltf_status dl_neighbours_append(dltf_neighbours *n, const dl_found *found, int64_t parts);

/* Replaces the neighbours in a part of the rows that begins at `first`, found by each rank, by those of all
 * ranks on rank 0 and by nothing on the others. */
dltf_status dl_neighbours_collect(const dltf_index *index, int64_t k, int64_t first,
                                  dltf_neighbours **neighbours);

#endif
