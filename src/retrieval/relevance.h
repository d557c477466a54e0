/* The internals of relevance. */
#ifndef DL_RETRIEVAL_RELEVANCE_H
#define DL_RETRIEVAL_RELEVANCE_H

#include "base/status.h"
#include "dltf/hash.h"

struct dltf_relevance {
    int64_t queries, samples;
    /* By neighbours: index[start[q]] .. index[start[q + 1] - 1] are relevant to query q. */
    int64_t *start;
    int32_t *index;
    int64_t capacity;
    /* By labels: those that are equal. */
    int64_t *query_labels, *labels;
    double radius; /* of dltf_relevance_by_radius, otherwise 0 */
};

#endif
