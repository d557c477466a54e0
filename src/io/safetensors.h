/* Bundles as safetensors files: the format of models and checkpoints (docs/formats.md). */
#ifndef DL_IO_SAFETENSORS_H
#define DL_IO_SAFETENSORS_H

#include "data/bundle.h"

/* Both put the path in front of their failures. */
dltf_status dl_safetensors_save(const dl_bundle *bundle, const char *path);
/* Fills an empty bundle. Higher ranks than 2 are refused. On failure the bundle is empty. */
dltf_status dl_safetensors_load(const char *path, dl_bundle *bundle);
/* The same from memory. */
dltf_status dl_safetensors_parse(const uint8_t *bytes, int64_t size, dl_bundle *bundle);

/* "F32", "F64", ...: how the header names a type. */
const char *dl_safetensors_type(dl_tensor_type type);

#endif
