/* dl_load: opens a file once, whatever it contains. */
#include "program/program.h"

#include "hash/hasher.h"
#include "io/files/file.h"
#include "io/formats.h"
#include "io/formats/model.h"
#include "io/formats/safetensors.h"
#include "io/formats/safetensors_header.h"
#include "io/index_file.h"
#include "network/network_bundle.h"

static dltf_status from_bundle(const dl_bundle *bundle, dl_loaded *loaded) {
    dltf_status status = dl_network_from_bundle(bundle, &loaded->network);
    if (status == DLTF_FORMAT)
        status = dl_hasher_from_bundle(bundle, &loaded->hasher);
    if (status == DLTF_FORMAT)
        status = dl_model_from_bundle(bundle, &loaded->model);
    return status;
}

/* By content or, for text and vectors, by name. A safetensors file is not meant as one here. */
static bool is_matrix(const dl_file *file, const char *path) {
    if (dl_safetensors_recognise(file->bytes, file->size))
        return false;
    const dl_format *named = dl_format_of_path(DL_CONTENT_MATRIX, NULL, path);
    return dl_format_of_content(DL_CONTENT_MATRIX, file->bytes, file->size) || (named && !named->recognise);
}

static dltf_status load(dl_file *file, const char *path, dl_loaded *loaded) {
    dl_bundle bundle = {0};
    if (dl_index_recognise(file->bytes, file->size))
        return dl_index_parse(file, &loaded->index);
    if (is_matrix(file, path)) /* binary codes */
        return dl_index_load_matrix(file, path, &loaded->index);
    dltf_status status = dl_safetensors_parse(file->bytes, file->size, &bundle);
    if (status == DLTF_OK)
        status = from_bundle(&bundle, loaded);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dl_load(const char *path, dl_loaded *loaded) {
    DL_REQUIRE(path, loaded);
    dl_file file;
    *loaded = (dl_loaded){0};
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = load(&file, path, loaded);
        dl_file_close(&file); /* empty if the index took ownership */
    }
    return dl_file_result(status, path);
}

void dl_loaded_free(dl_loaded *loaded) {
    if (!loaded)
        return;
    dltf_model_free(loaded->model);
    dl_network_free(loaded->network);
    dltf_hasher_free(loaded->hasher);
    dltf_index_free(loaded->index);
    *loaded = (dl_loaded){0};
}
