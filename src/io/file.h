/* A file's whole content as bytes: mapped where the system can, read otherwise. Parsers see bytes only. */
#ifndef DL_IO_FILE_H
#define DL_IO_FILE_H

#include "base/status.h"

typedef struct dl_file {
    const uint8_t *bytes;
    int64_t size;
    /* Who keeps the bytes alive: a mapping, memory of dl_alloc, or, if both are NULL, somebody else. */
    void *mapping;
    void *memory;
} dl_file;

/* Opens a file for reading. A pipe is read to its end; directories, devices and empty files are refused. */
dltf_status dl_file_open(const char *path, dl_file *file);
/* The rest of an open file or pipe, after `count` bytes that were read from it already. */
dltf_status dl_file_read(int descriptor, const uint8_t *start, int64_t count, dl_file *file);
void dl_file_close(dl_file *file);

/* Bytes that belong to somebody else: whatever is made of them copies, nothing keeps pointing into them. */
dl_file dl_file_borrow(const void *bytes, int64_t size);

/* Hands the bytes over to an array that points into them; false, and nothing done, if they are borrowed. */
bool dl_file_give(dl_file *file, dltf_array *array);

/* Status and path of a finished call: a failure gets the path in front of its sentence. */
dltf_status dl_file_result(dltf_status status, const char *path);

/* Whether a path ends in an extension such as ".csv", in any case. */
bool dl_path_ends(const char *path, const char *extension);

#endif
