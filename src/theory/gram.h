/* Inner products of one vector with the rows of a matrix: a Gram matrix row by row, never the whole of it.
 * Used by the coherence measures and by the matching of dictionaries. */
#ifndef DL_THEORY_GRAM_H
#define DL_THEORY_GRAM_H

#include <stdint.h>

/* out[i] = <x, row i of rows>, i < count; rows: count x n. */
void dl_gram_row(const double *x, const double *rows, int64_t count, int64_t n, double *out);

#endif
