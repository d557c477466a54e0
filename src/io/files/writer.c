/* The atomic writer. A crash, a full disk or an interrupt must never replace a complete file with a partial
 * one, so all files are written through here. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "io/files/writer.h"

#include "base/memory.h"
#include "dltf/data.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static dltf_status system_failure(const char *what) {
    return dl_fail(DLTF_FILE, "cannot %s: %s", what, strerror(errno));
}

/* Splits a path into folder and name. The folder keeps its slash; "." if there is none. */
static dltf_status split(dl_writer *writer, const char *path) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, length = strlen(path);
    writer->directory = dl_alloc((int64_t)folder + 2, 1);
    writer->target = dl_alloc((int64_t)(length - folder) + 1, 1);
    if (!writer->directory || !writer->target)
        return DLTF_MEMORY;
    memcpy(writer->directory, folder > 0 ? path : ".", folder > 0 ? folder : 1);
    memcpy(writer->target, path + folder, length - folder);
    return DLTF_OK;
}

/* A temporary file in the folder of the target, with the permissions of the old file. */
static int open_temporary(dl_writer *writer, const struct stat *old, bool named) {
    writer->folder = dl_temporary_folder(writer->directory);
    if (writer->folder < 0)
        return -1;
    int descriptor = (named ? dl_temporary_create_named : dl_temporary_create)(writer->folder, writer->target,
                                                                               writer->temporary);
    if (descriptor >= 0 && old)
        (void)!fchmod(descriptor, old->st_mode & 0777);
    return descriptor;
}

/* Finds out whether the path can be written, and where: through a symbolic link, so that the link survives
 * and its target is replaced; in place if it is a device or pipe. */
static dltf_status open_descriptor(dl_writer *writer, const char *path, bool named, int *descriptor) {
    char resolved[PATH_MAX];
    struct stat old, link;
    bool exists = stat(path, &old) == 0;
    if (!exists && errno == ENOENT && lstat(path, &link) == 0)
        return dl_fail(DLTF_FILE, "cannot create: is a symbolic link to a file that does not exist");
    if (!exists && errno != ENOENT)
        return system_failure("create");
    writer->in_place = exists && !S_ISREG(old.st_mode);
    if (writer->in_place && named)
        return dl_fail(DLTF_FILE, "cannot create: ranks can write regular files only");
    if (writer->in_place) /* a directory fails here: EISDIR */
        *descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    else {
        dltf_status status = split(writer, exists && realpath(path, resolved) ? resolved : path);
        if (status != DLTF_OK)
            return status;
        *descriptor = open_temporary(writer, exists ? &old : NULL, named);
    }
    return *descriptor >= 0 ? DLTF_OK : system_failure("create");
}

static dltf_status open_file(dl_writer *writer, const char *path, bool named) {
    int descriptor = -1;
    *writer = (dl_writer){.folder = -1};
    if (!path || !*path)
        return dl_fail(DLTF_ARGUMENT, "no file name given");
    dltf_status status = open_descriptor(writer, path, named, &descriptor);
    if (status == DLTF_OK) {
        writer->file = fdopen(descriptor, "wb");
        if (!writer->file) {
            status = system_failure("create");
            close(descriptor);
        }
    }
    if (status != DLTF_OK)
        dl_writer_abort(writer);
    return status;
}

dltf_status dl_writer_open(dl_writer *writer, const char *path) {
    return open_file(writer, path, false);
}

dltf_status dl_writer_open_shared(dl_writer *writer, const char *path, char **name) {
    dltf_status status = open_file(writer, path, true);
    if (status != DLTF_OK)
        return status;
    int64_t size = (int64_t)strlen(writer->directory) + DL_TEMPORARY_NAME + 2;
    *name = dl_alloc(size, 1);
    if (!*name) {
        dl_writer_abort(writer);
        return DLTF_MEMORY;
    }
    snprintf(*name, (size_t)size, "%s/%s", writer->directory, writer->temporary);
    return DLTF_OK;
}

dltf_status dl_writer_open_output(dl_writer *writer) {
    *writer = (dl_writer){.in_place = true, .folder = -1};
    int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    writer->file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (writer->file)
        return DLTF_OK;
    dltf_status status = system_failure("write");
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

void dl_writer_open_memory(dl_writer *writer) {
    *writer = (dl_writer){.in_memory = true, .folder = -1};
}

static dltf_status append(dl_writer *writer, const void *bytes, int64_t count) {
    if (count > writer->room - writer->written) {
        int64_t room = 2 * writer->room + count;
        uint8_t *grown = dl_grow(writer->bytes, writer->written, room, 1);
        if (!grown)
            return DLTF_MEMORY;
        writer->bytes = grown;
        writer->room = room;
    }
    if (count > 0)
        memcpy(writer->bytes + writer->written, bytes, (size_t)count);
    writer->written += count;
    return DLTF_OK;
}

void dl_writer_take(dl_writer *writer, uint8_t **bytes, int64_t *size) {
    *bytes = writer->bytes;
    *size = writer->written;
    writer->bytes = NULL;
}

void dltf_bytes_free(uint8_t *bytes) {
    dl_free(bytes);
}

dltf_status dl_writer_write(dl_writer *writer, const void *bytes, int64_t count) {
    if (writer->in_memory)
        return append(writer, bytes, count);
    if (count > 0 && fwrite(bytes, 1, (size_t)count, writer->file) != (size_t)count)
        return system_failure("write");
    writer->written += count;
    return DLTF_OK;
}

dltf_status dl_writer_skip(dl_writer *writer, int64_t count) {
    int error = posix_fallocate(fileno(writer->file), (off_t)writer->written, (off_t)count);
    writer->written += count;
    if (error == ENOSPC || error == EFBIG || error == EDQUOT) {
        errno = error;
        return system_failure("write");
    }
    if (fseeko(writer->file, (off_t)writer->written, SEEK_SET) != 0)
        return system_failure("write");
    return DLTF_OK;
}

dltf_status dl_writer_replace(dl_writer *writer, const void *bytes, int64_t count) {
    if (fseek(writer->file, 0, SEEK_SET) != 0 ||
        fwrite(bytes, 1, (size_t)count, writer->file) != (size_t)count ||
        fseek(writer->file, 0, SEEK_END) != 0)
        return system_failure("write");
    return DLTF_OK;
}

/* Flushes and syncs, so that a crash after the rename cannot leave an empty file. Files that do not support
 * syncing, such as pipes, count as synced. */
static bool flush_and_sync(FILE *file) {
    if (fflush(file) != 0)
        return false;
    int result = 0;
    do
        result = fsync(fileno(file));
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP;
}

dltf_status dl_part_write(const char *name, int64_t place, const void *bytes, int64_t count) {
    FILE *file = fopen(name, "r+be");
    if (!file)
        return system_failure("open");
    bool good = fseeko(file, (off_t)place, SEEK_SET) == 0 &&
                (count == 0 || fwrite(bytes, 1, (size_t)count, file) == (size_t)count) &&
                flush_and_sync(file);
    dltf_status status = good ? DLTF_OK : system_failure("write");
    fclose(file);
    return status;
}

dltf_status dl_writer_commit(dl_writer *writer) {
    dltf_status status = flush_and_sync(writer->file) ? DLTF_OK : system_failure("write");
    if (status == DLTF_OK && !writer->in_place &&
        dl_temporary_publish(writer->folder, fileno(writer->file), writer->target, writer->temporary) != 0)
        status = system_failure("name the finished file");
    /* A regular file is already synced. */
    if (fclose(writer->file) != 0 && status == DLTF_OK && writer->in_place)
        status = system_failure("write");
    writer->file = NULL;
    dl_writer_abort(writer);
    return status;
}

void dl_writer_abort(dl_writer *writer) {
    if (writer->temporary[0])
        unlinkat(writer->folder, writer->temporary, 0);
    if (writer->file)
        fclose(writer->file);
    if (writer->directory && writer->folder >= 0)
        close(writer->folder);
    dl_free(writer->directory);
    dl_free(writer->target);
    dl_free(writer->bytes);
    *writer = (dl_writer){.folder = -1};
}
