/* Rows in pieces. The header of .npy holds the number of rows: if it is unknown, the first header is a
 * placeholder that the last step overwrites. */
#include "io/streams/row_writer.h"

#include "data/matrix.h"
#include "io/formats/npy.h"

static dltf_status npy_header(const dl_row_writer *w, int64_t rows, dl_text *header) {
    return dl_npy_header(header, w->type == DLTF_U8 ? "u1" : "f4", 2, (int64_t[]){rows, w->cols});
}

/* The function that writes a block of rows; NULL for .npy. */
static dl_matrix_writer find_writer(const char *name, dltf_type type) {
    const dl_format *format = dl_format_of_path(
        DL_CONTENT_MATRIX, type == DLTF_U8 ? dl_format_writes_bytes : dl_format_writes, name);
    return format && format->write != dl_npy_write ? format->write : NULL;
}

/* The placeholder has INT64_MAX rows and so the same length as the final header. */
dltf_status dl_row_writer_begin(dl_row_writer *w, const char *name) {
    dltf_status status = DLTF_OK;
    dl_text header = {0};
    w->write = w->raw ? NULL : find_writer(name, w->type);
    if (w->raw || w->write)
        return DLTF_OK;
    if (w->expected < 0 && w->out->in_place)
        return dl_fail(DLTF_ARGUMENT, "cannot write .npy to a pipe or device before the number of rows is "
                                      "known: write to a file, or write raw rows");
    DL_TRY(npy_header(w, w->expected < 0 ? INT64_MAX : w->expected, &header));
    status = dl_writer_write(w->out, header.data, header.length);
done:
    dl_text_free(&header);
    return status;
}

dltf_status dl_row_writer_add(dl_row_writer *w, const void *elements, int64_t rows) {
    w->rows += rows;
    if (!w->write)
        return dl_writer_write(w->out, elements, rows * w->cols * dl_type_size(w->type));
    return w->write(w->type == DLTF_U8 ? dltf_matrix_u8(elements, rows, w->cols)
                                       : dltf_matrix_f32(elements, rows, w->cols),
                    w->out);
}

dltf_status dl_row_writer_end(dl_row_writer *w) {
    dl_text header = {0};
    if (w->expected >= 0 && w->expected != w->rows)
        return dl_fail(DLTF_ARGUMENT, "expected %lld rows but found %lld", (long long)w->expected,
                       (long long)w->rows);
    if (w->raw || w->write || w->expected >= 0)
        return DLTF_OK;
    dltf_status status = npy_header(w, w->rows, &header);
    if (status == DLTF_OK)
        status = dl_writer_replace(w->out, header.data, header.length);
    dl_text_free(&header);
    return status;
}
