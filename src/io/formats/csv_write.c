/* Writing matrices as text, with enough digits to read back the same numbers. */
#include "base/number.h"
#include "base/text.h"
#include "io/formats/csv.h"

#include <inttypes.h>

static void append_value(dl_text *text, dltf_matrix matrix, int64_t row, int64_t col) {
    int64_t place = row * matrix.row_stride + col * matrix.col_stride;
    if (matrix.type == DLTF_F32)
        dl_text_append(text, "%.9g", (double)((const float *)matrix.data)[place]);
    else if (matrix.type == DLTF_F64)
        dl_text_append(text, "%.17g", ((const double *)matrix.data)[place]);
    else
        dl_text_append(text, "%d", ((const uint8_t *)matrix.data)[place]);
    dl_text_append_bytes(text, col + 1 < matrix.cols ? "," : "\n", 1);
}

dltf_status dl_csv_write(dltf_matrix matrix, dl_writer *out) {
    dl_decimal_point point;
    dl_text line = {0};
    dltf_status status = dl_decimal_point_open(&point);
    if (status != DLTF_OK)
        return status;
    for (int64_t row = 0; row < matrix.rows; row++) {
        line.length = 0;
        for (int64_t col = 0; col < matrix.cols; col++)
            append_value(&line, matrix, row, col);
        DL_TRY(dl_text_status(&line));
        DL_TRY(dl_writer_write(out, line.data, line.length));
    }
done:
    dl_text_free(&line);
    dl_decimal_point_close(&point);
    return status;
}

dltf_status dl_csv_write_integers(const dl_integers *integers, dl_writer *out) {
    dltf_status status = DLTF_OK;
    dl_text line = {0};
    for (int64_t row = 0; row < integers->rows; row++) {
        line.length = 0;
        for (int64_t col = 0; col < integers->cols; col++)
            dl_text_append(&line, "%" PRId64 "%s", integers->values[row * integers->cols + col],
                           col + 1 < integers->cols ? "," : "\n");
        DL_TRY(dl_text_status(&line));
        DL_TRY(dl_writer_write(out, line.data, line.length));
    }
done:
    dl_text_free(&line);
    return status;
}
