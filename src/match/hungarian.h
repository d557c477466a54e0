/* The assignment problem. */
#ifndef DL_MATCH_HUNGARIAN_H
#define DL_MATCH_HUNGARIAN_H

#include "base/status.h"

/* The one-to-one assignment of rows to columns with the largest total profit (rows x cols, finite, may be
 * negative) that has min(rows, cols) pairs: match[i] is the column of row i, or -1 if row i is unmatched
 * (rows > cols only). */
dltf_status dl_assign(const double *profit, int64_t rows, int64_t cols, int32_t *match);

#endif
