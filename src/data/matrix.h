/* Matrix views: checks and conversion of rows. */
#ifndef DL_DATA_MATRIX_H
#define DL_DATA_MATRIX_H

#include "base/status.h"
#include "dltf/data.h"

/* Checks that there are data, at least one row and column, and a supported type. `subject`: what the matrix
 * is. */
dltf_status dl_matrix_check(dltf_matrix matrix, dltf_subject subject);

/* Fails with row and column of the first NaN or infinity. */
dltf_status dl_matrix_check_finite(dltf_matrix matrix, dltf_subject subject);

/* The same, and fails for finite values beyond the range of single precision: for computations that read the
 * rows as floats. */
dltf_status dl_matrix_check_single(dltf_matrix matrix, dltf_subject subject);

/* Row i as doubles. */
void dl_matrix_row(dltf_matrix matrix, int64_t row, double *out);

/* Rows `first` .. first + count - 1. */
dltf_matrix dl_matrix_part(dltf_matrix matrix, int64_t first, int64_t count);

/* Whether all rows could be read so far: to be called after a computation that read any. Matrices in memory
 * never fail. */
dltf_status dl_matrix_status(dltf_matrix matrix);

/* Rows `first` .. first + count - 1 will be needed soon. */
void dl_matrix_expect(dltf_matrix matrix, int64_t first, int64_t count);

/* The same as dl_matrix_check, but refuses DLTF_ROWS too. */
dltf_status dl_matrix_check_memory(dltf_matrix matrix, dltf_subject subject);

/* The same checks for one row, numbered `index` in the message. */
dltf_status dl_row_check_finite(const double *row, int64_t cols, int64_t index, dltf_subject subject);
dltf_status dl_row_check_single(const double *row, int64_t cols, int64_t index, dltf_subject subject);

/* Bytes of an element of a matrix in memory; 1 for others. */
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
