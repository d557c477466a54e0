/* coding/dual_pack.c for the small library, which has no linear algebra. */
#include "coding/coder.h"

dltf_status dl_dual_pack(const dl_recipe *recipe, dl_packed *packed) {
    (void)recipe;
    (void)packed;
    return dl_fail_option(DLTF_ARGUMENT, "lists", "unsupported: this library makes one list only");
}
