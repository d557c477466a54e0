/* Files of records of equal size, with one row of a matrix in each: a view that skips what else they hold. */
#ifndef DL_IO_FORMATS_RECORDS_H
#define DL_IO_FORMATS_RECORDS_H

#include "io/files/file.h"

typedef struct dl_records {
    dltf_type type; /* stored as in memory */
    int64_t rows, cols;
    int64_t offset;                  /* byte of the file where the first row begins */
    int64_t distance;                /* bytes from one row to the next */
    int64_t channels, height, width; /* if a row is an image: planes; otherwise 0 */
} dl_records;

/* The caller has checked that the file is large enough, and that offset and distance are multiples of the
 * size of an element. The array takes ownership of the bytes, or copies borrowed ones. */
dltf_status dl_records_array(const dl_records *records, dl_file *file, dltf_array **array);

#endif
