/* Matrices of integers, which are only written: every reader converts them to floating point. */
#ifndef DL_IO_FORMATS_INTEGERS_H
#define DL_IO_FORMATS_INTEGERS_H

#include "io/files/writer.h"

typedef struct dl_integers {
    const int64_t *values; /* rows x cols */
    int64_t rows, cols;
    bool vector; /* of rows; formats with axes then have only one */
} dl_integers;

/* As .npy or, by extension, as .csv or .ivecs (32 bits). */
dltf_status dl_integers_save(const dl_integers *integers, const char *path);

#endif
