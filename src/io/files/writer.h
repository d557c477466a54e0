/* Atomic file writing: to a temporary file in the folder of the target, which gets its name when it is
 * complete and synced. */
#ifndef DL_IO_FILES_WRITER_H
#define DL_IO_FILES_WRITER_H

#include "base/status.h"
#include "io/files/temporary.h"

#include <stdio.h>

typedef struct dl_writer {
    FILE *file;
    bool in_place;                     /* a device, a pipe or standard output */
    char *directory, *target;          /* of the final name */
    int folder;                        /* descriptor of the directory */
    char temporary[DL_TEMPORARY_NAME]; /* "" if the file has no name yet */
    int64_t written;
    bool in_memory; /* no file; bytes is NULL before the first write */
    uint8_t *bytes;
    int64_t room;
} dl_writer;

/* Opens the temporary file; an existing file stays until the commit. Writes devices and pipes in place.
 * A symbolic link to a file that does not exist is an error. */
dltf_status dl_writer_open(dl_writer *writer, const char *path);
/* The same with a temporary file that has a name, so that other processes can write parts of it. Devices and
 * pipes are an error. `name`: its path, to be released with dl_free. */
dltf_status dl_writer_open_shared(dl_writer *writer, const char *path, char **name);
/* In one of these processes: writes bytes at a place of the file and syncs them. */
dltf_status dl_part_write(const char *name, int64_t place, const void *bytes, int64_t count);
/* Writes to standard output, which stays open. Not atomic. */
dltf_status dl_writer_open_output(dl_writer *writer);
/* Collects the bytes in memory. */
void dl_writer_open_memory(dl_writer *writer);
/* Returns what was written to memory, in place of a commit. */
void dl_writer_take(dl_writer *writer, uint8_t **bytes, int64_t *size);
dltf_status dl_writer_write(dl_writer *writer, const void *bytes, int64_t count);
/* Leaves out bytes of a regular file, for others to write. Their space is reserved, if the file system can.
 */
dltf_status dl_writer_skip(dl_writer *writer, int64_t count);
/* Overwrites bytes at the beginning of the file; not possible on a pipe. */
dltf_status dl_writer_replace(dl_writer *writer, const void *bytes, int64_t count);
dltf_status dl_writer_commit(dl_writer *writer);
/* Removes the temporary file. No effect after a commit, a failed open, or on a zeroed writer. */
void dl_writer_abort(dl_writer *writer);

#endif
