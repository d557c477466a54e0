/* Sparse autoencoders of other programs: settings, and tensors of their own size. The first byte chooses. */
#include "fuzz.h"

#include "io/formats/sae.h"
#include "io/formats/safetensors.h"

static void check_settings(dltf_status status, const dl_sae_settings *s) {
    fuzz_check_message(status);
    if (status == DLTF_OK)
        fuzz_require(s->n > 0 && s->m > 0 && s->k >= 0 && s->k <= s->m && s->n <= INT32_MAX &&
                     s->m <= INT32_MAX);
}

static void check_tensors(const uint8_t *bytes, int64_t size, bool thresholds) {
    dl_sae sae = {.settings = {.thresholds = thresholds}};
    dl_bundle bundle = {0};
    dltf_model *model = NULL;
    dltf_status status = dl_safetensors_parse(bytes, size, &bundle);
    if (status == DLTF_OK)
        status = dl_sae_read((dl_sae_source){.bundle = &bundle}, false, &sae);
    if (status == DLTF_OK)
        status = dl_sae_to_model(&sae, "saelens", &model);
    fuzz_require((status == DLTF_OK) == (model != NULL));
    fuzz_check_message(status);
    dltf_model_free(model);
    dl_sae_free(&sae);
    dl_bundle_free(&bundle);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_sae_settings settings;
    double factor = 0;
    if (size < 1)
        return 0;
    const uint8_t *rest = bytes + 1;
    int64_t count = (int64_t)size - 1;
    switch (bytes[0]) {
    case 'l':
        check_settings(dl_saelens_parse(rest, count, &settings), &settings);
        break;
    case 's':
        check_settings(dl_sparsify_parse(rest, count, &settings), &settings);
        break;
    case 'f':
        fuzz_check_message(dl_saelens_parse_factor(rest, count, &factor));
        break;
    default:
        check_tensors(rest, count, bytes[0] == 't');
    }
    return 0;
}
