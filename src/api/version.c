/* Version and build information. */

#include "kernels/kernels.h"
#include "linalg/blas.h"

#include <stdio.h>

#if defined(__clang__)
#define COMPILER "Clang " __clang_version__
#else
#define COMPILER "GCC " __VERSION__
#endif

const char *dltf_version(void) {
    return DLTF_VERSION;
}

int dltf_version_number(void) {
    return DLTF_VERSION_NUMBER;
}

const char *dltf_build(void) {
    static _Thread_local char line[512];
    snprintf(line, sizeof line, "kernels: %s; BLAS: %s; build: %s, %s", dl_kernels_now()->level,
             dl_blas_name(), COMPILER, DLTF_BUILD_TYPE);
    return line;
}
