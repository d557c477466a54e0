/* Files whose rows are read on demand, for data larger than memory. */
#ifndef DL_IO_FORMATS_ROW_FILE_H
#define DL_IO_FORMATS_ROW_FILE_H

#include "io/formats/elements.h"

/* Rows of equal size, evenly spaced. */
typedef struct dl_row_layout {
    dl_elements elements; /* how an element is stored: kind, item, swapped */
    int64_t rows, cols;
    int64_t offset; /* byte of the file where the first record begins: a prefix, then a row */
    int64_t prefix; /* bytes, at most 4, and only if elements have no more */
    /* Checks the prefix of a row; NULL without prefix. */
    dltf_status (*check)(const uint8_t *prefix, int64_t row, int64_t cols);
    int64_t header; /* bytes that describing the file takes; 0: those that were given */
    /* Set, without rows, by a format that opens the rows of a file itself. */
    dltf_status (*open)(const char *path, const dl_reading *reading, dltf_array **array);
    int64_t channels, height, width; /* if a row is an image: planes; otherwise 0 */
} dl_row_layout;

/* The layout of an array in C order that begins at a byte of the file. Fails for Fortran order, whose rows
 * are scattered. */
dltf_status dl_elements_layout(const dl_elements *elements, int64_t offset, dl_row_layout *layout);

/* Describes the rows of a file of `size` bytes by its first bytes: all, or DL_ROW_FILE_START. A format that
 * needs more sets `header` and no rows, and is called again with as many. */
typedef dltf_status (*dl_row_describer)(const dl_file *start, int64_t size, dl_row_layout *layout);

enum { DL_ROW_FILE_START = 1 << 17 };

/* Describes an open regular file of `size` bytes. `possible`: whether its rows can be read one by one.
 * Messages do not name the file. Defined in io/row_file.c. */
dltf_status dl_row_file_describe(int descriptor, const char *path, const dl_reading *reading, int64_t size,
                                 dl_row_layout *layout, bool *possible);

#endif
