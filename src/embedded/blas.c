/* linalg/blas.c for the small library, which has no BLAS: all that is left is to say so in dltf_build. */
#include "linalg/blas.h"

const char *dl_blas_name(void) {
    return "none";
}
