/* The coding methods of the library, in the order of dltf_coder. */
#include "coding/coder.h"

static const dl_coder *const coders[] = {
    [DLTF_CODER_THRESHOLD] = &dl_coder_threshold,
    [DLTF_CODER_OMP] = &dl_coder_omp,
    [DLTF_CODER_IHT] = &dl_coder_iht,
    [DLTF_CODER_NIHT] = &dl_coder_niht,
    [DLTF_CODER_HTP] = &dl_coder_htp,
};

const dl_coder *dl_coder_find(dltf_coder coder) {
    int count = sizeof coders / sizeof *coders;
    return (int)coder >= 0 && (int)coder < count ? coders[coder] : NULL;
}
