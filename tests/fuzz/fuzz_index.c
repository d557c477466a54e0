/* Index files: loaded, then searched with both methods. */
#include "fuzz.h"

#include "data/index.h"
#include "io/index_file.h"

/* Neighbours must be rows of the database, whatever the tables say. */
static void search(const dltf_index *index, int64_t k, dltf_search_method method) {
    dltf_neighbours *found = NULL;
    dltf_search_options options = {
        .size = sizeof(dltf_search_options), .k = k, .radius = 3, .method = method, .threads = 1};
    dltf_status status =
        dltf_search(index, dltf_matrix_u8(index->codes, 1, index->width), &options, NULL, NULL, &found);
    fuzz_require((status == DLTF_OK) == (found != NULL));
    fuzz_require(method == DLTF_SEARCH_MULTI_INDEX || status == DLTF_OK);
    fuzz_check_message(status);
    if (!found)
        return;
    dltf_neighbours_view v = dltf_neighbours_get(found);
    fuzz_require(v.queries == 1 && v.indptr[0] == 0 && v.indptr[1] >= (k > 0 ? k : 0));
    for (int64_t i = 0; i < v.indptr[1]; i++)
        fuzz_require(v.indices[i] >= 0 && v.indices[i] < index->rows && v.distances[i] >= 0 &&
                     v.distances[i] <= 8 * index->width);
    dltf_neighbours_free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (!dl_index_recognise(bytes, (int64_t)size))
        return 0;
    dl_file file = dl_file_borrow(bytes, (int64_t)size);
    dltf_index *index = NULL;
    dltf_status status = dl_index_parse(&file, &index);
    fuzz_require((status == DLTF_OK) == (index != NULL));
    fuzz_check_message(status);
    if (!index)
        return 0;
    for (int64_t k = 0; k < 2; k++) {
        search(index, k, DLTF_SEARCH_FLAT);
        if (index->tables > 0)
            search(index, k, DLTF_SEARCH_MULTI_INDEX);
    }
    dltf_index_free(index);
    return 0;
}
