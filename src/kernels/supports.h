/* Sizes of the kernel `solve_supports`. */
#ifndef DL_KERNELS_SUPPORTS_H
#define DL_KERNELS_SUPPORTS_H

#include <stdbool.h>
#include <stdint.h>

/* It addresses G with 32 bits. With more entries its work space does not fit the caches. */
enum { DL_SUPPORTS_MOST_ATOMS = 46340, DL_SUPPORTS_MOST_ENTRIES = 128 };

static inline bool dl_supports_fit(int64_t m, int64_t k) {
    return m <= DL_SUPPORTS_MOST_ATOMS && k <= DL_SUPPORTS_MOST_ENTRIES;
}

/* Floats of work space, for the widest vectors. */
static inline int64_t dl_solve_supports_work(int64_t k) {
    enum { LANES = 16 };
    return LANES * (4 * k + k * k + k * (k - 1) / 2);
}

#endif
