/* Spools. The temporary file has no name, so that nothing is left behind however the program ends. */
#include "io/files/spool.h"

#include "base/memory.h"
#include "io/files/temporary.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { CAPACITY = 1 << 20 };

static dltf_status failure(const dl_spool *spool, const char *what) {
    return dl_fail(DLTF_FILE, "cannot %s a temporary file in %s: %s", what, spool->directory,
                   strerror(errno));
}

dltf_status dl_spool_open(dl_spool *spool, const char *directory) {
    *spool = (dl_spool){.directory = directory, .descriptor = -1};
    spool->buffer = DL_NEW(uint8_t, CAPACITY);
    spool->memory = spool->buffer;
    return spool->buffer ? DLTF_OK : DLTF_MEMORY;
}

dl_spool dl_spool_borrow(const void *bytes, int64_t size) {
    return (dl_spool){.memory = bytes, .used = size, .descriptor = -1};
}

/* Moves the bytes in memory to the file. */
static dltf_status flush(dl_spool *spool) {
    dltf_status status = DLTF_OK;
    if (spool->descriptor < 0)
        spool->descriptor = dl_temporary_scratch(spool->directory);
    if (spool->descriptor < 0)
        status = failure(spool, "create");
    for (int64_t done = 0; status == DLTF_OK && done < spool->used;) {
        ssize_t wrote = write(spool->descriptor, spool->buffer + done, (size_t)(spool->used - done));
        if (wrote > 0)
            done += wrote;
        else if (errno != EINTR)
            status = failure(spool, "write");
    }
    if (status == DLTF_OK) {
        spool->stored += spool->used;
        spool->used = 0;
    }
    return status;
}

dltf_status dl_spool_append(dl_spool *spool, const void *bytes, int64_t count) {
    const uint8_t *from = bytes;
    while (count > 0) {
        int64_t room = CAPACITY - spool->used, some = count < room ? count : room;
        memcpy(spool->buffer + spool->used, from, (size_t)some);
        spool->used += some;
        from += some;
        count -= some;
        dltf_status status = spool->used == CAPACITY ? flush(spool) : DLTF_OK;
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

dltf_status dl_spool_read(const dl_spool *spool, int64_t offset, void *bytes, int64_t count) {
    uint8_t *to = bytes;
    while (count > 0 && offset < spool->stored) {
        int64_t left = spool->stored - offset;
        ssize_t got = pread(spool->descriptor, to, (size_t)(count < left ? count : left), (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO; /* file was truncated by another process */
        if (got <= 0)
            return failure(spool, "read");
        to += got;
        offset += got;
        count -= got;
    }
    if (count > 0)
        memcpy(to, spool->memory + (offset - spool->stored), (size_t)count);
    return DLTF_OK;
}

void dl_spool_close(dl_spool *spool) {
    if (spool->buffer && spool->descriptor >= 0)
        close(spool->descriptor);
    dl_free(spool->buffer);
    *spool = (dl_spool){.descriptor = -1};
}
