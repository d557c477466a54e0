/* Indexes of safetensors shards: JSON whose object `weight_map` has the file of every tensor. */
#ifndef DL_IO_FORMATS_SAFETENSORS_INDEX_H
#define DL_IO_FORMATS_SAFETENSORS_INDEX_H

#include "io/files/file.h"

#define DL_SAFETENSORS_INDEX ".safetensors.index.json"

/* The shard that has a tensor, beside the index, and the name of the tensor; both to be freed with dl_free.
 * `name` is NULL for the only tensor of an index. */
dltf_status dl_safetensors_index_find(const char *path, const char *name, char **shard, char **tensor);

/* The same from bytes; `shard` is a name without folder. */
dltf_status dl_safetensors_index_parse(const uint8_t *bytes, int64_t size, const char *name, char **shard,
                                       char **tensor);

/* `load_member` of the format: a file alone cannot be loaded without its path. */
dltf_status dl_safetensors_index_load(dl_file *file, const char *name, dltf_array **array);

#endif
