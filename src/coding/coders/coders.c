/* The coders of the full library: all of them. */
#include "coding/coder.h"

#define ROW(NAME, name, help) &dl_coder_##name,
static const dl_coder *const coders[] = {DLTF_CODERS(ROW)};

const dl_coder *dl_coder_find(dltf_coder coder) {
    int count = sizeof coders / sizeof *coders;
    return (int)coder >= 0 && (int)coder < count ? coders[coder] : NULL;
}
