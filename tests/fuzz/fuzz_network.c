/* Networks in safetensors. */
#include "fuzz.h"

#include "io/formats/safetensors.h"
#include "network/network_bundle.h"
#include "program/program.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_bundle bundle;
    dl_network *network = NULL;
    dltf_status status = dl_safetensors_parse(bytes, (int64_t)size, &bundle);
    if (status == DLTF_OK)
        status = dl_network_from_bundle(&bundle, &network);
    fuzz_check_message(status);
    fuzz_require((status == DLTF_OK) == (network != NULL));
    for (int64_t l = 0; network && l < dl_network_layers(network); l++) {
        dl_layer_view layer = dl_network_layer(network, l);
        for (int64_t i = 0; i < layer.inputs * layer.outputs; i++)
            fuzz_require(isfinite(layer.weights[i]));
        fuzz_require(layer.k >= 0 && layer.k <= layer.outputs);
        fuzz_require(l == 0 || layer.inputs == dl_network_layer(network, l - 1).outputs);
    }
    fuzz_require(!network || (isfinite(dl_network_scale(network)) && dl_network_scale(network) != 0));
    dl_network_free(network);
    dl_bundle_free(&bundle);
    return 0;
}
