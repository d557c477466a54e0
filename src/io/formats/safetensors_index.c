/* Indexes of shards, as libraries for large models write them beside the shards. */
#include "io/formats/safetensors_index.h"

#include "base/memory.h"
#include "io/files/bytes.h"

#include <jansson.h>
#include <stdio.h>

enum { MAX_INDEX = 64 << 20 };

/* "'a', 'b', ..." */
static const char *list_names(json_t *map, char *list, size_t size) {
    enum { MAX_NAME = DL_SHOWN + 4 };
    size_t used = 0;
    const char *name;
    json_t *value;
    list[0] = '\0';
    json_object_foreach(map, name, value) {
        if (used + MAX_NAME + 6 > size) {
            strcpy(list + used, ", ...");
            break;
        }
        used += (size_t)snprintf(list + used, size - used, "%s'%s'", used ? ", " : "",
                                 DL_PRINTABLE(name, (int64_t)strlen(name)));
    }
    return list;
}

static char *copy(const char *text) {
    char *made = dl_alloc((int64_t)strlen(text) + 1, 1);
    if (made)
        strcpy(made, text);
    return made;
}

static dltf_status choose(json_t *map, const char *name, char **shard, char **tensor) {
    char list[300];
    size_t count = json_object_size(map);
    if (!name && count != 1)
        return dl_fail(DLTF_FORMAT,
                       "lists %zu tensors%s%s: choose one with FILE" DL_SAFETENSORS_INDEX ":NAME", count,
                       count ? ": " : "", list_names(map, list, sizeof list));
    if (!name)
        name = json_object_iter_key(json_object_iter(map));
    const json_t *value = json_object_get(map, name);
    const char *file = json_string_value(value);
    if (!value)
        return dl_fail(DLTF_FORMAT, "tensor '%s' not found; the index lists %s",
                       DL_PRINTABLE(name, (int64_t)strlen(name)), list_names(map, list, sizeof list));
    if (!file || !*file || strchr(file, '/'))
        return dl_fail(
            DLTF_FORMAT,
            "weight_map has no file name for tensor '%s': expected that of a file in the same folder",
            DL_PRINTABLE(name, (int64_t)strlen(name)));
    *shard = copy(file);
    *tensor = copy(name);
    if (*shard && *tensor)
        return DLTF_OK;
    dl_free(*shard);
    dl_free(*tensor);
    *shard = *tensor = NULL;
    return DLTF_MEMORY;
}

dltf_status dl_safetensors_index_parse(const uint8_t *bytes, int64_t size, const char *name, char **shard,
                                       char **tensor) {
    json_error_t error;
    *shard = *tensor = NULL;
    if (size > MAX_INDEX)
        return dl_fail(DLTF_FORMAT, "is too long for an index of shards: at most %s bytes are supported",
                       DL_COMMAS(MAX_INDEX));
    json_t *index = json_loadb((const char *)bytes, (size_t)size, JSON_REJECT_DUPLICATES, &error);
    if (!index && (!*error.text || json_error_code(&error) == json_error_out_of_memory))
        return dl_fail(DLTF_MEMORY, "not enough memory for the index");
    if (!index)
        return dl_fail(DLTF_FORMAT, "is not an index of shards: line %d: %s", error.line,
                       DL_PRINTABLE(error.text, (int64_t)strlen(error.text)));
    json_t *map = json_object_get(index, "weight_map");
    dltf_status status = json_is_object(map)
                             ? choose(map, name, shard, tensor)
                             : dl_fail(DLTF_FORMAT, "is not an index of shards: expected an object "
                                                    "'weight_map' with the file of every tensor");
    json_decref(index);
    return status;
}

/* Puts the folder of `path` before a file name. */
static dltf_status beside(const char *path, char **name) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, size = folder + strlen(*name) + 1;
    char *whole = dl_alloc((int64_t)size, 1);
    if (!whole)
        return DLTF_MEMORY;
    snprintf(whole, size, "%.*s%s", (int)folder, path, *name);
    dl_free(*name);
    *name = whole;
    return DLTF_OK;
}

dltf_status dl_safetensors_index_find(const char *path, const char *name, char **shard, char **tensor) {
    dl_file file;
    *shard = *tensor = NULL;
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = dl_safetensors_index_parse(file.bytes, file.size, name, shard, tensor);
        dl_file_close(&file);
    }
    if (status == DLTF_OK)
        status = beside(path, shard);
    if (status != DLTF_OK) {
        dl_free(*shard);
        dl_free(*tensor);
        *shard = *tensor = NULL;
    }
    return dl_file_result(status, path);
}

dltf_status dl_safetensors_index_load(dl_file *file, const char *name, dltf_array **array) {
    (void)file, (void)name, (void)array;
    return dl_fail(DLTF_FORMAT, "is an index of shards: give the shard itself, FILE.safetensors:NAME");
}
