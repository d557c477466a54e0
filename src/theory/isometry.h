/* The restricted isometry constant of a dictionary, or a bound of it. */
#ifndef DL_THEORY_ISOMETRY_H
#define DL_THEORY_ISOMETRY_H

#include "theory/gains.h"

/* delta of an order 1 .. m, for tied gains: bounds, and the constant itself where there are few enough
 * supports. */
dltf_status dl_isometry(const dl_gains *tied, int64_t order, dltf_isometry *isometry);

#endif
