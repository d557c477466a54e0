/* Bundles as safetensors files: the format of models and checkpoints (docs/formats.md). */
#ifndef DL_IO_FORMATS_SAFETENSORS_H
#define DL_IO_FORMATS_SAFETENSORS_H

#include "data/bundle.h"
#include "io/files/file.h"
#include "io/files/writer.h"

/* Save and load prefix their error messages with the path. */
dltf_status dl_safetensors_save(const dl_bundle *bundle, const char *path);
/* Writes what comes before the data of the tensors, and finds where these begin. */
dltf_status dl_safetensors_start(dl_writer *out, const dl_bundle *bundle, int64_t *data);
/* The bytes of the file, to be freed with dl_free. */
dltf_status dl_safetensors_write(const dl_bundle *bundle, uint8_t **bytes, int64_t *size);
/* Fills an empty bundle; on failure it is empty. Tensors of rank above 2 are an error. */
dltf_status dl_safetensors_load(const char *path, dl_bundle *bundle);
/* The same for large tensors: they are in the file, which must stay open as long as the bundle is used. */
dltf_status dl_safetensors_open(const char *path, dl_file *file, dl_bundle *bundle);
/* The same from memory: copies, or views of the bytes. */
dltf_status dl_safetensors_view(const uint8_t *bytes, int64_t size, dl_bundle *bundle);
dltf_status dl_safetensors_parse(const uint8_t *bytes, int64_t size, dl_bundle *bundle);

/* The name of a type in the header: "F32", "F64", ... */
const char *dl_safetensors_type(dl_tensor_type type);

#endif
