/* Replaces coding/coders/coders.c in the small library: coders that need no linear algebra of large matrices.
 */
#include "coding/coder.h"

const dl_coder *dl_coder_find(dltf_coder coder) {
    switch (coder) {
    case DLTF_CODER_THRESHOLD:
        return &dl_coder_threshold;
    case DLTF_CODER_SHORTLIST:
        return &dl_coder_shortlist;
    default:
        return NULL;
    }
}
