/* Euclidean distances of all queries to all samples of a database, in double, tile by tile. */
#ifndef DL_RETRIEVAL_DISTANCES_H
#define DL_RETRIEVAL_DISTANCES_H

#include "base/meter.h"
#include "dltf/data.h"

/* Queries whose distances are computed together. */
enum { DL_DISTANCE_QUERIES = 128 };

typedef struct dl_distance_visitor {
    void *context;
    /* Squared distances of a query to `count` samples from `first` on. Queries are visited by several threads
     * at once, the samples of a query in order. */
    void (*visit)(void *context, int64_t query, int64_t first, const double *square, int64_t count);
    /* All samples of `count` queries from `first` on were visited. */
    dltf_status (*finish)(void *context, int64_t first, int64_t count);
} dl_distance_visitor;

/* Checks both matrices. Memory: a few megabytes. Adds queries x samples to the meter's total, and reports
 * them. */
dltf_status dl_all_distances(dltf_matrix queries, dltf_matrix database, int threads, dl_meter *meter,
                             const dl_distance_visitor *visitor);

#endif
