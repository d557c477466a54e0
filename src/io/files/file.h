/* The whole content of a file: mapped if possible, read otherwise. Parsers see only bytes. */
#ifndef DL_IO_FILES_FILE_H
#define DL_IO_FILES_FILE_H

#include "base/status.h"
#include "data/reading.h"
#include "dltf/data.h"

typedef struct dl_file {
    const uint8_t *bytes;
    int64_t size;
    /* Owner of the bytes: a mapping or memory from dl_alloc. Both are NULL if the bytes are borrowed. */
    void *mapping;
    void *memory;
    const char *path;          /* of a regular file, borrowed; NULL: a pipe, or bytes in memory */
    const dl_reading *reading; /* how samples are read from it; NULL: by default */
} dl_file;

static inline dl_columns_axis dl_file_axis(const dl_file *file) {
    return file->reading ? file->reading->columns_axis : DL_AXIS_AUTO;
}

/* Opens a file for reading. A pipe is read to its end; directories, devices and empty files are errors. */
dltf_status dl_file_open(const char *path, dl_file *file);
/* Reads the rest of an open file or pipe, of which `count` bytes are already in `start`. */
dltf_status dl_file_read(int descriptor, const uint8_t *start, int64_t count, dl_file *file);
void dl_file_close(dl_file *file);

/* Borrowed bytes. Arrays made from them are copies and never point into them. */
dl_file dl_file_borrow(const void *bytes, int64_t size);

/* Transfers ownership of the bytes to an array that points into them. Does nothing and returns false if they
 * are borrowed. */
bool dl_file_give(dl_file *file, dltf_array *array);

/* Returns `status`; prefixes the message of a failure with the path. */
dltf_status dl_file_result(dltf_status status, const char *path);

/* Whether a path ends in an extension such as ".csv", ignoring case. */
bool dl_path_ends(const char *path, const char *extension);

#endif
