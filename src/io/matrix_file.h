/* From a file's bytes to a matrix, whatever the format. */
#ifndef DL_IO_MATRIX_FILE_H
#define DL_IO_MATRIX_FILE_H

#include "io/file.h"

/* `path` tells text from the rest; NULL: a stream, which has no name. `name`: of an array in an archive, or
 * NULL. The array takes the bytes over where it can. */
dltf_status dl_matrix_load(dl_file *file, const char *path, const char *name, dltf_array **array);

#endif
