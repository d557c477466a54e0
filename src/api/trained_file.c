/* dltf_trained_load: opens a file once, whatever it contains. */
#include "hash/hasher.h"
#include "io/file.h"
#include "io/model.h"
#include "io/safetensors.h"
#include "network/network_bundle.h"

dltf_status dltf_trained_load(const char *path, dltf_model **model, dltf_network **network,
                              dltf_hasher **hasher) {
    dl_bundle bundle = {0};
    *model = NULL;
    *network = NULL;
    *hasher = NULL;
    dltf_status status = dl_safetensors_load(path, &bundle);
    if (status != DLTF_OK)
        return status; /* already prefixed with the path */
    status = dl_network_from_bundle(&bundle, network);
    if (status == DLTF_FORMAT)
        status = dl_hasher_from_bundle(&bundle, hasher);
    if (status == DLTF_FORMAT)
        status = dl_model_from_bundle(&bundle, model);
    dl_bundle_free(&bundle);
    return dl_file_result(status, path);
}
