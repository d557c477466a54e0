/* The methods of search. All give the same neighbours. */
#ifndef DL_SEARCH_METHOD_H
#define DL_SEARCH_METHOD_H

#include "base/meter.h"
#include "search/neighbours.h"

/* A search to be done. */
typedef struct dl_job {
    const dltf_index *index, *queries; /* codes of the same width */
    int64_t k, radius;                 /* as in the options */
    double most; /* cost of a query above which multi-index hashing leaves it to the linear search */
    int threads;
    dl_meter meter; /* counts queries */
    dltf_neighbours *result;
} dl_job;

/* Append the neighbours of all queries to the result. */
dltf_status dl_flat_search(dl_job *job);
dltf_status dl_multi_index_search(dl_job *job); /* needs tables */

static inline const uint8_t *dl_job_query(const dl_job *job, int64_t query) {
    return job->queries->codes + query * job->queries->width;
}

/* Appends the hits of `count` queries, each in `parts` pieces, reports progress and frees the hits. */
dltf_status dl_job_append(dl_job *job, dl_found *found, int64_t count, int64_t parts);

/* The failure of a search that the caller cancelled. */
dltf_status dl_job_cancelled(void);

#endif
