/* coding/dual_pack.c for the small library, which has no linear algebra. */
#include "coding/coder.h"

dltf_status dl_derive_dual(const dl_recipe *recipe, const dl_packed **E) {
    (void)recipe;
    (void)E;
    return dl_fail_option(DLTF_ARGUMENT, "lists", "unsupported: this library makes one list only");
}
