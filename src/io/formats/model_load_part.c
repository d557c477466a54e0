/* A part of a model from a file, of which nothing else is read. */
#include "io/formats/model.h"
#include "io/formats/safetensors.h"

dltf_status dl_model_part_load(const char *path, int number, int count, dl_model_part *part) {
    dl_file file = {0};
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_open(path, &file, &bundle);
    if (status != DLTF_OK)
        return status;
    status = dl_model_part_from_bundle(&bundle, number, count, part);
    dl_bundle_free(&bundle);
    dl_file_close(&file);
    return dl_file_result(status, path);
}
