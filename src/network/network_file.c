/* Network files: connects network, which does no I/O, to io, which knows no networks. */
#include "io/formats/safetensors.h"
#include "network/network_bundle.h"

dltf_status dl_network_save(const dl_network *network, const char *path) {
    DL_REQUIRE(network, path);
    dl_bundle bundle = {0};
    dltf_status status = dl_network_to_bundle(network, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_save(&bundle, path);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dl_network_load(const char *path, dl_network **network) {
    DL_CLEAR(network);
    DL_REQUIRE(path, network);
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_load(path, &bundle);
    if (status == DLTF_OK) {
        status = dl_network_from_bundle(&bundle, network);
        if (status != DLTF_OK)
            dl_fail_prefix(status, path);
    }
    dl_bundle_free(&bundle);
    return status;
}
