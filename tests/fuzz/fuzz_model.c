/* Models in safetensors. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dltf_model *model = NULL;
    dltf_status status = dltf_model_read(bytes, (int64_t)size, &model);
    fuzz_check_message(status);
    fuzz_require((status == DLTF_OK) == (model != NULL));
    if (model) {
        dltf_model_view view = dltf_model_get(model);
        fuzz_require(view.k >= 1 && view.k <= view.m && view.n >= 1);
    }
    dltf_model_free(model);
    return 0;
}
