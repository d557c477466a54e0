/* Loads a matrix of any supported format from a file's bytes. */
#ifndef DL_IO_MATRIX_FILE_H
#define DL_IO_MATRIX_FILE_H

#include "io/files/file.h"

/* The extension of `path` identifies text files; NULL for a stream. `name` selects an array of an archive and
 * may be NULL. The array takes ownership of the bytes where it can. */
dltf_status dl_matrix_load(dl_file *file, const char *path, const char *name, dltf_array **array);

/* dltf_array_load and dltf_array_open, read as `reading` says; NULL: by default. */
dltf_status dl_array_load(const char *path, const dl_reading *reading, dltf_array **array);
dltf_status dl_array_open(const char *path, int64_t raw_columns, const dl_reading *reading,
                          dltf_array **array);

/* A sentence for people on how the file was read; "" if there is nothing special. */
const char *dl_array_remark(const dltf_array *array);

/* The name of the array in "file.npz:name" and the like, as a pointer into `path`; NULL if the whole path is
 * a file name.
 */
const char *dl_array_member(const char *path);

/* A matrix or codes, whichever the file contains; the other pointer becomes NULL. */
dltf_status dl_array_or_codes_load(const char *path, const dl_reading *reading, dltf_array **array,
                                   dltf_codes **codes);

#endif
