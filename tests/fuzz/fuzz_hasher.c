/* Hashers in safetensors. A hasher that is accepted also encodes. */
#include "fuzz.h"

#include "hash/hasher.h"
#include "io/formats/safetensors.h"

#include <stdlib.h>

static void encode(const dltf_hasher *hasher) {
    dltf_hasher_view view = dltf_hasher_get(hasher);
    float *x = calloc((size_t)view.n, sizeof *x);
    uint8_t *code = calloc((size_t)view.bits / 8, 1);
    fuzz_require(x && code);
    fuzz_check_message(dltf_hasher_apply(hasher, dltf_matrix_f32(x, 1, view.n), 1, NULL, NULL, code));
    free(x);
    free(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_bundle bundle;
    dltf_hasher *hasher = NULL;
    dltf_status status = dl_safetensors_parse(bytes, (int64_t)size, &bundle);
    if (status == DLTF_OK)
        status = dl_hasher_from_bundle(&bundle, &hasher);
    fuzz_check_message(status);
    fuzz_require((status == DLTF_OK) == (hasher != NULL));
    if (hasher)
        encode(hasher);
    dltf_hasher_free(hasher);
    dl_bundle_free(&bundle);
    return 0;
}
