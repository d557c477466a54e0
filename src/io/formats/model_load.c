/* dltf_model_load: dltf_model_read on a file. In a file of its own, so that programs that do not use files
 * link no file functions. */
#include "io/files/file.h"

dltf_status dltf_model_load(const char *path, dltf_model **model) {
    DL_CLEAR(model);
    DL_REQUIRE(path, model);
    dl_file file;
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = dltf_model_read(file.bytes, file.size, model);
        dl_file_close(&file);
    }
    return dl_file_result(status, path);
}
