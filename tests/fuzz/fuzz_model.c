/* Models in safetensors. */
#include "fuzz.h"

#include "io/model_file.h"
#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_bundle bundle;
    dltf_model *model = NULL;
    dltf_status status = dl_safetensors_parse(bytes, (int64_t)size, &bundle);
    if (status == DLTF_OK)
        status = dl_model_from_bundle(&bundle, &model);
    fuzz_check_message(status);
    fuzz_require((status == DLTF_OK) == (model != NULL));
    if (model) {
        dltf_model_view view = dltf_model_get(model);
        fuzz_require(view.k >= 1 && view.k <= view.m && view.n >= 1);
    }
    dltf_model_free(model);
    dl_bundle_free(&bundle);
    return 0;
}
