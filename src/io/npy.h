/* NumPy's .npy: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef DL_IO_NPY_H
#define DL_IO_NPY_H

#include "base/text.h"
#include "io/elements.h"
#include "io/writer.h"

/* What every file begins with. */
#define DL_NPY_MAGIC "\x93NUMPY"

/* The longest header that is read; ours have 128 bytes, NumPy itself warns above 10,000. */
enum { DL_NPY_PREFIX = 12, DL_NPY_MOST_HEADER = 65535 };

bool dl_npy_recognise(const uint8_t *bytes, int64_t size);

/* Where the header text begins and how long it is; the first DL_NPY_PREFIX bytes tell. */
dltf_status dl_npy_find_header(const uint8_t *bytes, int64_t size, int64_t *begin, int64_t *length);

/* The size of a stream that nobody knows yet. */
#define DL_NPY_ENDLESS INT64_MAX

/* Reads the header and checks that it promises exactly `size` bytes in all. `available` <= size bytes are at
 * hand: DL_NPY_PREFIX + DL_NPY_MOST_HEADER are always enough, so the start of a compressed file will do.
 * Of an endless file the header alone is checked. */
dltf_status dl_npy_parse(const uint8_t *bytes, int64_t available, int64_t size, dl_elements *elements);

/* The matrix in a .npy file. */
dltf_status dl_npy_load(dl_file *file, dltf_array **array);

/* Appends a version 1 header, padded so that the data begin at a multiple of 64 bytes. `code` is a type code
 * without its byte order, such as "f4" or "S3". */
dltf_status dl_npy_header(dl_text *text, const char *code, int rank, const int64_t *shape);

/* Writes a matrix in C order, row by row. */
dltf_status dl_npy_write(dltf_matrix matrix, dl_writer *out);

#endif
