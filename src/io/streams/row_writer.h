/* Writes the rows of a matrix a piece at a time, in constant memory: .npy, another format that can be written
 * in pieces, or raw rows without a header. */
#ifndef DL_IO_STREAMS_ROW_WRITER_H
#define DL_IO_STREAMS_ROW_WRITER_H

#include "io/formats.h"

typedef struct dl_row_writer {
    dl_writer *out; /* borrowed */
    dltf_type type; /* of the elements: DLTF_F32 or DLTF_U8 */
    bool raw;
    dl_matrix_writer write;       /* NULL: .npy or raw */
    int64_t expected, rows, cols; /* rows expected, -1 if unknown, and written */
} dl_row_writer;

/* The name of the file selects the format, unless rows are raw. Set the fields out, type, raw, expected and
 * cols before. */
dltf_status dl_row_writer_begin(dl_row_writer *writer, const char *name);
/* Rows of elements of that type, contiguous. */
dltf_status dl_row_writer_add(dl_row_writer *writer, const void *elements, int64_t rows);
/* After the last rows. Does not commit the file. */
dltf_status dl_row_writer_end(dl_row_writer *writer);

#endif
