/* A matrix that owns its memory: allocated, or mapped from a file. */
#ifndef DL_DATA_ARRAY_H
#define DL_DATA_ARRAY_H

#include "dltf.h"

struct dltf_array {
    dltf_matrix matrix;
    void *memory;  /* from dl_alloc, or NULL */
    void *mapping; /* from mmap, or NULL */
    size_t map_size;
    int64_t channels, height, width; /* if a row is an image: planes; otherwise 0 */
};

#endif
