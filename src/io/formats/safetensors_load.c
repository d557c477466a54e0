/* Safetensors files: dl_safetensors_parse and dl_safetensors_view on a file. */
#include "io/formats/safetensors.h"

dltf_status dl_safetensors_load(const char *path, dl_bundle *bundle) {
    dl_file file;
    *bundle = (dl_bundle){0};
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = dl_safetensors_parse(file.bytes, file.size, bundle);
        dl_file_close(&file);
    }
    return dl_file_result(status, path);
}

dltf_status dl_safetensors_open(const char *path, dl_file *file, dl_bundle *bundle) {
    *bundle = (dl_bundle){0};
    dltf_status status = dl_file_open(path, file);
    if (status == DLTF_OK)
        status = dl_safetensors_view(file->bytes, file->size, bundle);
    if (status == DLTF_OK && file->mapping)
        bundle->mapped = (dl_scratch){.memory = file->mapping, .bytes = file->size};
    if (status != DLTF_OK)
        dl_file_close(file);
    return dl_file_result(status, path);
}
