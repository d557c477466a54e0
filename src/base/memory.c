/* Aligned, overflow-checked allocation that tests can make fail. */
#define _DEFAULT_SOURCE /* madvise */

#include "base/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Blocks from LARGE on, the size from which glibc always maps new pages, are not touched by the allocation.
 */
enum { ALIGNMENT = 64, LARGE = 32 << 20 };

static _Atomic int64_t failure_countdown; /* 0: off; 1: the next allocation fails and so do all later ones */

void dl_alloc_fail_after(int64_t allocations) {
    failure_countdown = allocations;
}

static bool failure_is_due(void) {
    int64_t left = failure_countdown;
    if (left == 0)
        return false;
    if (left == 1)
        return true;
    failure_countdown = left - 1;
    return false;
}

bool dl_multiply(int64_t a, int64_t b, int64_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}

/* Zeroes a block. The pages of a large one are dropped instead and read as zero when first used: a file that
 * declares more than it contains takes no more memory than its content. */
static void clear(char *block, size_t bytes) {
#ifdef __linux__
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)block;
    size_t head = (page - start % page) % page, tail = (start + bytes) % page;
    if (bytes >= LARGE && madvise(block + head, bytes - head - tail, MADV_DONTNEED) == 0) {
        memset(block, 0, head);
        memset(block + bytes - tail, 0, tail);
        return;
    }
#endif
    memset(block, 0, bytes);
}

void *dl_alloc(int64_t count, size_t size) {
    int64_t bytes = 0;
    if (count < 0 || !dl_multiply(count, (int64_t)size, &bytes) || bytes > INT64_MAX - ALIGNMENT) {
        dl_fail(DLTF_MEMORY, "allocation size out of range: %lld elements of %zu bytes", (long long)count,
                size);
        return NULL;
    }
    /* aligned_alloc requires a multiple of the alignment; at least one, so that the pointer is never NULL. */
    size_t padded = ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (padded == 0)
        padded = ALIGNMENT;
    void *memory = failure_is_due() ? NULL : aligned_alloc(ALIGNMENT, padded);
    if (!memory) {
        dl_fail(DLTF_MEMORY, "not enough memory for %lld bytes", (long long)bytes);
        return NULL;
    }
    clear(memory, padded);
    return memory;
}

void *dl_grow(void *memory, int64_t used, int64_t count, size_t size) {
    void *larger = dl_alloc(count, size);
    if (larger && memory) {
        memcpy(larger, memory, (size_t)used * size);
        dl_free(memory);
    }
    return larger;
}

double dl_memory_of_machine(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (double)pages * (double)size : HUGE_VAL;
}

void dl_free(void *memory) {
    free(memory);
}
