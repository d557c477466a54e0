/* safetensors */
#include "fuzz.h"

#include "io/formats/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_bundle bundle;
    dltf_status status = dl_safetensors_parse(bytes, (int64_t)size, &bundle);
    fuzz_check_message(status);
    int64_t total = 0;
    for (int i = 0; i < bundle.count; i++)
        total += dl_tensor_bytes(&bundle.tensors[i]);
    fuzz_require(total <= (int64_t)size);
    dl_bundle_free(&bundle);
    return 0;
}
