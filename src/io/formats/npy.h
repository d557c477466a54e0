/* NumPy's .npy: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef DL_IO_FORMATS_NPY_H
#define DL_IO_FORMATS_NPY_H

#include "base/text.h"
#include "io/formats/integers.h"
#include "io/formats/row_file.h"

#define DL_NPY_MAGIC "\x93NUMPY"

/* Maximum supported header length; ours have 128 bytes, NumPy warns above 10,000. */
enum { DL_NPY_PREFIX = 12, DL_NPY_MAX_HEADER = 65535 };

bool dl_npy_recognise(const uint8_t *bytes, int64_t size);

/* Start and length of the header text, from the first DL_NPY_PREFIX bytes. */
dltf_status dl_npy_find_header(const uint8_t *bytes, int64_t size, int64_t *begin, int64_t *length);

/* The size of a stream before its end is reached. */
#define DL_NPY_UNKNOWN_SIZE INT64_MAX

/* Parses the header and checks that it declares exactly `size` bytes in total, unless that is
 * DL_NPY_UNKNOWN_SIZE. Reads only the first `available` <= size bytes: DL_NPY_PREFIX + DL_NPY_MAX_HEADER are
 * always enough, so the start of a compressed file will do. */
dltf_status dl_npy_parse(const uint8_t *bytes, int64_t available, int64_t size, dl_elements *elements);

dltf_status dl_npy_load(dl_file *file, dltf_array **array);
/* Fails for Fortran order, whose rows are scattered. */
dltf_status dl_npy_describe(const dl_file *start, int64_t size, dl_row_layout *layout);

/* Appends a version 1 header, padded so that the data begins at a multiple of 64 bytes. `code` is a type code
 * without its byte order, such as "f4" or "S3". */
dltf_status dl_npy_header(dl_text *text, const char *code, int rank, const int64_t *shape);

/* Writes a matrix in C order, row by row. */
dltf_status dl_npy_write(dltf_matrix matrix, dl_writer *out);
/* As int64. */
dltf_status dl_npy_write_integers(const dl_integers *integers, dl_writer *out);

#endif
