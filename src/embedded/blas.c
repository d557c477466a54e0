/* Replaces linalg/blas.c in the small library, which has no BLAS; dltf_build says so. */
#include "linalg/blas.h"

const char *dl_blas_name(void) {
    return "none";
}
