/* A row of any matrix view as floats: for pictures, and for dictionaries that come from files. */
#include "experiments/matrix.h"

void matrix_read_row(dltf_matrix matrix, int64_t i, float *out) {
    for (int64_t j = 0; j < matrix.cols; j++) {
        int64_t at = i * matrix.row_stride + j * matrix.col_stride;
        switch (matrix.type) {
        case DLTF_F32:
            out[j] = ((const float *)matrix.data)[at];
            break;
        case DLTF_F64:
            out[j] = (float)((const double *)matrix.data)[at];
            break;
        case DLTF_U8:
            out[j] = ((const uint8_t *)matrix.data)[at];
            break;
        }
    }
}
