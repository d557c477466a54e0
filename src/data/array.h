/* A matrix that owns its memory: allocated, or mapped from a file; or its source of rows. */
#ifndef DL_DATA_ARRAY_H
#define DL_DATA_ARRAY_H

#include "base/handle.h"
#include "dltf/data.h"

struct dltf_array {
    dl_handle handle;
    dltf_matrix matrix;
    void *memory;  /* from dl_alloc, or NULL */
    void *mapping; /* from mmap, or NULL */
    size_t map_size;
    dltf_source *source;             /* of a matrix of DLTF_ROWS, or NULL */
    int64_t channels, height, width; /* if a row is an image: planes; otherwise 0 */
    char remark[240];                /* on how the file was read, for people; "": nothing special */
};

/* An empty one; NULL with a message on failure. */
static inline dltf_array *dl_array_new(void) {
    dltf_array *made = DL_NEW(dltf_array, 1);
    if (made)
        made->handle = DL_HANDLE_ARRAY;
    return made;
}

#endif
