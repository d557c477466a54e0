/* The step that every Babel function is made of: the tied one of dltf_babel, the untied one of a model. */
#ifndef DL_THEORY_BABEL_H
#define DL_THEORY_BABEL_H

#include "base/status.h"

/* babel[s-1] = max(babel[s-1], the largest sum of s entries of row) for s = 1 .. order. For one row the best
 * choice are its largest entries: sorts the row (count entries, order <= count). */
void dl_babel_add(double *row, int64_t count, int64_t order, double *babel);

#endif
