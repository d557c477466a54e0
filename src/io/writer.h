/* Files that appear whole or not at all: written to a temporary name beside the target, synced, renamed. */
#ifndef DL_IO_WRITER_H
#define DL_IO_WRITER_H

#include "base/status.h"

#include <stdio.h>

typedef struct dl_writer {
    FILE *file;
    char *target;    /* what the file will be called */
    char *temporary; /* NULL: written in place (a device or a pipe) */
    int64_t written;
} dl_writer;

/* Opens the temporary file; what is at `path` stays until the commit. Devices and pipes: written in place. */
dltf_status dl_writer_open(dl_writer *writer, const char *path);
/* Standard output, which stays open; nothing can be taken back. */
dltf_status dl_writer_open_output(dl_writer *writer);
dltf_status dl_writer_write(dl_writer *writer, const void *bytes, int64_t count);
/* Replaces bytes at the file's beginning that were written before; not on a pipe. */
dltf_status dl_writer_replace(dl_writer *writer, const void *bytes, int64_t count);
dltf_status dl_writer_commit(dl_writer *writer);
/* Removes whatever was not committed; harmless after a commit, a failed open, or on a zeroed writer. */
void dl_writer_abort(dl_writer *writer);

#endif
