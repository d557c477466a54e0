/* The atomic writer. A crash, a full disk or an interrupt must never replace a complete file with a partial
 * one, so all files are written through here. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "io/writer.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static dltf_status system_failure(const char *what) {
    return dl_fail(DLTF_FILE, "cannot %s: %s", what, strerror(errno));
}

static char *copy_text(const char *text) {
    char *copy = dl_alloc((int64_t)strlen(text) + 1, 1);
    if (copy)
        strcpy(copy, text);
    return copy;
}

/* Creates a file beside the target. Not mkstemp, which makes it private instead of applying the umask. */
static int create_temporary(dl_writer *writer) {
    static _Atomic unsigned serial;
    size_t room = strlen(writer->target) + 48;
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(writer->temporary, room, "%s.%ld-%u.tmp", writer->target, (long)getpid(), serial++);
        int descriptor = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* The target itself if it is a device or pipe, otherwise a temporary file with the old file's permissions. */
static int open_descriptor(dl_writer *writer) {
    struct stat old;
    bool exists = stat(writer->target, &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) {
        dl_free(writer->temporary);
        writer->temporary = NULL;
        return open(writer->target, O_WRONLY | O_CLOEXEC | O_NOCTTY); /* a directory fails here: EISDIR */
    }
    int descriptor = create_temporary(writer);
    if (descriptor < 0)
        writer->temporary[0] = '\0'; /* nothing to unlink */
    else if (exists)
        (void)!fchmod(descriptor, old.st_mode & 0777);
    return descriptor;
}

dltf_status dl_writer_open(dl_writer *writer, const char *path) {
    *writer = (dl_writer){0};
    if (!path || !*path)
        return dl_fail(DLTF_ARGUMENT, "no file name given");
    /* Resolve symbolic links, so that the link survives and its target is replaced. */
    char resolved[PATH_MAX];
    dltf_status status = DLTF_MEMORY;
    struct stat about;
    bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    writer->target = copy_text(regular && realpath(path, resolved) ? resolved : path);
    if (!writer->target)
        goto failed;
    writer->temporary = dl_alloc((int64_t)strlen(writer->target) + 48, 1);
    if (!writer->temporary)
        goto failed;
    int descriptor = open_descriptor(writer);
    if (descriptor < 0) {
        status = system_failure("create");
        goto failed;
    }
    writer->file = fdopen(descriptor, "wb");
    if (!writer->file) {
        status = system_failure("create");
        close(descriptor);
        goto failed;
    }
    return DLTF_OK;
failed:
    dl_writer_abort(writer);
    return status;
}

dltf_status dl_writer_open_output(dl_writer *writer) {
    *writer = (dl_writer){0};
    int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    writer->file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (writer->file)
        return DLTF_OK;
    dltf_status status = system_failure("write");
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

dltf_status dl_writer_write(dl_writer *writer, const void *bytes, int64_t count) {
    if (count > 0 && fwrite(bytes, 1, (size_t)count, writer->file) != (size_t)count)
        return system_failure("write");
    writer->written += count;
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

dltf_status dl_writer_commit(dl_writer *writer) {
    dltf_status status = flush_and_sync(writer->file) ? DLTF_OK : system_failure("write");
    int closed = fclose(writer->file);
    writer->file = NULL;
    if (status == DLTF_OK && closed != 0)
        status = system_failure("write");
    if (status == DLTF_OK && writer->temporary) {
        if (rename(writer->temporary, writer->target) != 0)
            status = system_failure("rename the finished file");
        else
            writer->temporary[0] = '\0'; /* renamed: nothing to unlink */
    }
    dl_writer_abort(writer);
    return status;
}

void dl_writer_abort(dl_writer *writer) {
    if (writer->file)
        fclose(writer->file);
    if (writer->temporary && writer->temporary[0])
        unlink(writer->temporary);
    dl_free(writer->temporary);
    dl_free(writer->target);
    *writer = (dl_writer){0};
}
