/* Reading a matrix of any element type and order as floats. */
#ifndef EXPERIMENTS_MATRIX_H
#define EXPERIMENTS_MATRIX_H

#include "dltf.h"

/* Row i of the matrix into `out` (matrix.cols floats). */
void matrix_read_row(dltf_matrix matrix, int64_t i, float *out);

#endif
