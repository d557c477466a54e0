/* The restricted isometry constant of a dictionary, or an upper bound. */
#ifndef DL_THEORY_ISOMETRY_H
#define DL_THEORY_ISOMETRY_H

#include "dltf/certify.h"
#include "theory/gains.h"

/* Bounds on delta of order 1 .. m for tied gains, and the exact constant if supports are few enough. */
dltf_status dl_isometry(const dl_gains *tied, int64_t order, dltf_isometry *isometry);

#endif
