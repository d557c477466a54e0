/* The neighbours of queries, which a search makes and files hold. */
#ifndef DL_DATA_NEIGHBOURS_H
#define DL_DATA_NEIGHBOURS_H

#include "base/handle.h"
#include "dltf/search.h"

struct dltf_neighbours {
    dl_handle handle;
    dltf_neighbours_view view;
    int64_t *indptr, *indices;
    int32_t *distances;
    int64_t done, capacity; /* queries; entries */
    int64_t *counts;        /* work space: hits by distance */
    int64_t bits;
};

#endif
