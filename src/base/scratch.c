/* Arrays in unnamed files. */
#define _DEFAULT_SOURCE /* madvise: glibc ignores posix_madvise(POSIX_MADV_DONTNEED) */
#include "base/scratch.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *folder(void) {
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/var/tmp";
}

static dltf_status fail(const char *what) {
    return dl_fail_prefix(dl_fail(DLTF_FILE, "cannot %s: %s", what, strerror(errno)), folder());
}

static dltf_status map(int descriptor, dl_scratch *scratch) {
    int error = 0;
    do /* a full disk would kill the process later */
        error = posix_fallocate(descriptor, 0, scratch->bytes);
    while (error == EINTR);
    if (error != 0) {
        errno = error;
        return fail("reserve space for a temporary file");
    }
    void *memory = mmap(NULL, (size_t)scratch->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        return fail("map a temporary file");
    scratch->memory = memory;
    return DLTF_OK;
}

dltf_status dl_scratch_new(int64_t bytes, dl_scratch *scratch) {
    char path[PATH_MAX];
    *scratch = (dl_scratch){.bytes = bytes};
    if (snprintf(path, sizeof path, "%s/dltf-XXXXXX", folder()) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return fail("create a temporary file");
    }
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return fail("create a temporary file");
    unlink(path);
    dltf_status status = map(descriptor, scratch);
    close(descriptor);
    return status;
}

void dl_scratch_free(dl_scratch *scratch) {
    if (scratch->memory)
        munmap(scratch->memory, (size_t)scratch->bytes);
    *scratch = (dl_scratch){0};
}

void dl_scratch_rest(const dl_scratch *scratch, const void *part, int64_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)part,
              end = begin + (uintptr_t)bytes;
    uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
    uintptr_t start = (uintptr_t)scratch->memory;
    if (scratch->memory && begin >= start && end <= start + (uintptr_t)scratch->bytes && first < last)
        madvise((char *)scratch->memory + (first - (uintptr_t)scratch->memory), last - first, MADV_DONTNEED);
}
