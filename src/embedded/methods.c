/* coding/methods.c for the small library: thresholded features, and nothing that needs linear algebra. */
#include "coding/method.h"

const dl_method *dl_method_find(dltf_coder coder) {
    return coder == DLTF_CODER_THRESHOLD ? &dl_method_threshold : NULL;
}
