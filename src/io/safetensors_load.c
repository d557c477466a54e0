/* dl_safetensors_load: dl_safetensors_parse on a file. */
#include "io/file.h"
#include "io/safetensors.h"

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
