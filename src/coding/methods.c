/* The coding methods of the library, in the order of dltf_coder. */
#include "coding/method.h"

static const dl_method *const methods[] = {
    [DLTF_CODER_THRESHOLD] = &dl_method_threshold,
    [DLTF_CODER_OMP] = &dl_method_omp,
    [DLTF_CODER_IHT] = &dl_method_iht,
    [DLTF_CODER_NIHT] = &dl_method_niht,
    [DLTF_CODER_HTP] = &dl_method_htp,
};

const dl_method *dl_method_find(dltf_coder coder) {
    int count = sizeof methods / sizeof *methods;
    return (int)coder >= 0 && (int)coder < count ? methods[coder] : NULL;
}
