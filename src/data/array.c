/* Loaded matrices: the view, and freeing the memory behind it. */
#include "data/array.h"

#include "base/memory.h"

#include <sys/mman.h>

dltf_matrix dltf_array_matrix(const dltf_array *array) {
    return array ? array->matrix : (dltf_matrix){0};
}

void dltf_array_free(dltf_array *array) {
    if (!array)
        return;
    if (array->mapping)
        munmap(array->mapping, array->map_size);
    dltf_source_free(array->source);
    dl_free(array->memory);
    dl_free(array);
}
