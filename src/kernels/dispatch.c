#include "kernels/dispatch.h"

const char *dl_kernel_level(void) {
#if DL_KERNEL_CLONES
    if (__builtin_cpu_supports("x86-64-v4"))
        return "avx512";
    if (__builtin_cpu_supports("x86-64-v3"))
        return "avx2";
#endif
    return "c";
}
