/* Access to neighbours. */
#include "data/neighbours.h"

#include "base/memory.h"
#include "base/sized.h"

void dltf_neighbours_get_sized(const dltf_neighbours *neighbours, dltf_neighbours_view *found, size_t size) {
    dltf_neighbours_view view = {0};
    if (neighbours) {
        view = neighbours->view;
        view.indptr = neighbours->indptr;
        view.indices = neighbours->indices;
        view.distances = neighbours->distances;
    }
    DL_WRITE_STRUCT(dltf_neighbours_view, found, size, &view);
}

void dltf_neighbours_free(dltf_neighbours *neighbours) {
    if (!neighbours)
        return;
    dl_free(neighbours->indptr);
    dl_free(neighbours->indices);
    dl_free(neighbours->distances);
    dl_free(neighbours->counts);
    dl_free(neighbours);
}
