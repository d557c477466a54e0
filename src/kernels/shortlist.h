/* Sizes of the kernel `shortlist`. */
#ifndef DL_KERNELS_SHORTLIST_H
#define DL_KERNELS_SHORTLIST_H

#include "base/integer.h"
#include "kernels/kernels.h"

/* Entries of a list that least squares are solved for at once. */
static inline int64_t dl_shortlist_joined(const dl_shortlist *p) {
    return dl_min(p->listed, 2 * p->k);
}

/* Floats of work space, for the widest vectors. */
static inline int64_t dl_shortlist_work(const dl_shortlist *p) {
    enum { LANES = 16, VECTORS_OF_LIST = 6 };
    int64_t s = dl_shortlist_joined(p);
    return LANES * (VECTORS_OF_LIST * p->listed + s + s * s + s * (s - 1) / 2) + p->n;
}

#endif
