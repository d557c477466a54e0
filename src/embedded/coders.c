/* Replaces coding/coders.c in the small library: thresholded features only, no linear algebra. */
#include "coding/coder.h"

const dl_coder *dl_coder_find(dltf_coder coder) {
    return coder == DLTF_CODER_THRESHOLD ? &dl_coder_threshold : NULL;
}
