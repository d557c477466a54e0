/* One row of a Babel function: the tied one of dltf_babel, or the untied one of a model. */
#ifndef DL_THEORY_BABEL_H
#define DL_THEORY_BABEL_H

#include "base/status.h"

/* babel[s-1] = max(babel[s-1], sum of the s largest entries of row) for s = 1 .. order <= count. Sorts the
 * row (count entries). */
void dl_babel_add(double *row, int64_t count, int64_t order, double *babel);

#endif
