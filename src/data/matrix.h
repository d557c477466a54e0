/* Matrix views: checks and conversion of rows. */
#ifndef DL_DATA_MATRIX_H
#define DL_DATA_MATRIX_H

#include "base/status.h"

/* Checks that there are data, at least one row and column, and a supported type. `subject`: what the matrix
 * is. */
dltf_status dl_matrix_check(dltf_matrix matrix, dltf_subject subject);

/* Fails with row and column of the first NaN or infinity. */
dltf_status dl_matrix_check_finite(dltf_matrix matrix, dltf_subject subject);

/* Row i as doubles. */
void dl_matrix_row(dltf_matrix matrix, int64_t row, double *out);

/* The same check for one row, numbered `index` in the message. */
dltf_status dl_row_check_finite(const double *row, int64_t cols, int64_t index, dltf_subject subject);

/* Bytes of an element; not for sparse matrices. */
int dl_type_size(dltf_type type);

/* Euclidean norm without overflow or underflow of the squares. */
double dl_norm(const double *x, int64_t n);

/* Scales to norm 1; false (and untouched) for the zero vector. */
bool dl_normalise(double *x, int64_t n);

/* An owned copy in doubles. */
dltf_status dl_widen(const float *from, int64_t count, double **to);

/* An owned m x n copy in doubles with rows scaled to norm 1; fails for a zero row. */
dltf_status dl_matrix_unit_rows(dltf_matrix matrix, dltf_subject subject, double **rows);

#endif
