/* Sizes of the kernel `solve_supports`. */
#ifndef DL_KERNELS_SUPPORTS_H
#define DL_KERNELS_SUPPORTS_H

#include <stdint.h>

/* It addresses G with 32 bits. */
enum { DL_SUPPORTS_MOST_ATOMS = 46340 };

/* Floats of work space, for the widest vectors. */
static inline int64_t dl_solve_supports_work(int64_t k) {
    enum { LANES = 16 };
    return LANES * (4 * k + k * k + k * (k - 1) / 2);
}

#endif
