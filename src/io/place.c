/* Paths of arrays. */
#include "io/place.h"

#include "base/memory.h"
#include "io/formats/safetensors_index.h"
#include "io/matrix_file.h"

#include <string.h>

static char *copy(const char *text, size_t length) {
    char *made = dl_alloc((int64_t)length + 1, 1);
    if (made)
        memcpy(made, text, length);
    return made;
}

/* Replaces an index by the shard that has the tensor. */
static dltf_status find_shard(dl_place *place) {
    dl_place shard = {0};
    dltf_status status = dl_safetensors_index_find(place->file, place->member, &shard.file, &shard.member);
    if (status != DLTF_OK)
        return status;
    dl_place_free(place);
    *place = shard;
    return DLTF_OK;
}

dltf_status dl_place_find(const char *path, dl_place *place) {
    const char *name = dl_array_member(path);
    *place = (dl_place){.file = copy(path, name ? (size_t)(name - path) - 1 : strlen(path)),
                        .member = name ? copy(name, strlen(name)) : NULL};
    if (!place->file || (name && !place->member))
        return DLTF_MEMORY;
    return dl_path_ends(place->file, DL_SAFETENSORS_INDEX) ? find_shard(place) : DLTF_OK;
}

void dl_place_free(dl_place *place) {
    dl_free(place->file);
    dl_free(place->member);
    *place = (dl_place){0};
}
