/* coding/coders.c for the small library: thresholded features, and nothing that needs linear algebra. */
#include "coding/coder.h"

const dl_coder *dl_coder_find(dltf_coder coder) {
    return coder == DLTF_CODER_THRESHOLD ? &dl_coder_threshold : NULL;
}
