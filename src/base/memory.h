/* Memory: 64-byte aligned, sizes checked for overflow, failure reported through dl_fail. */
#ifndef DL_BASE_MEMORY_H
#define DL_BASE_MEMORY_H

#include "base/status.h"

/* `count` elements of `size` bytes, zeroed; NULL with a message on failure. count = 0 gives a pointer that
 * may be freed. */
void *dl_alloc(int64_t count, size_t size);
void dl_free(void *memory);

/* Like realloc for memory of dl_alloc: keeps the first `used` elements, zeroes the rest. On failure the old
 * block is unchanged and NULL is returned. */
void *dl_grow(void *memory, int64_t used, int64_t count, size_t size);

/* Whether an array of elements of this size may be accessed at this address. */
static inline bool dl_is_aligned(const void *array, size_t size) {
    return (uintptr_t)array % size == 0;
}

/* No array has more elements, of up to 16 bytes: for sizes that a caller states of its own arrays. */
#define DL_MOST_ELEMENTS (INT64_MAX / 16)

/* Returns from the calling function if no block of memory can have so many bytes. */
#define DL_REQUIRE_BYTES(size)                                                                               \
    do {                                                                                                     \
        if ((size) < 0 || (size) > DL_MOST_ELEMENTS)                                                         \
            return dl_fail(DLTF_ARGUMENT, "a size of %lld bytes is out of range", (long long)(size));        \
    } while (0)

/* a * b, or false if it overflows int64. */
bool dl_multiply(int64_t a, int64_t b, int64_t *product);

/* Bytes of physical memory; infinite if unknown. */
double dl_memory_of_machine(void);

/* For tests: the n-th allocation from now fails, as does every later one; 0 turns this off. */
void dl_alloc_fail_after(int64_t allocations);

#define DL_NEW(type, count) ((type *)dl_alloc((count), sizeof(type)))

/* In a function with `status` and `done`: allocate, or set the status and go to `done`. */
#define DL_TRY_NEW(pointer, count)                                                                           \
    do {                                                                                                     \
        (pointer) = dl_alloc((count), sizeof *(pointer));                                                    \
        if (!(pointer)) {                                                                                    \
            status = DLTF_MEMORY;                                                                            \
            goto done;                                                                                       \
        }                                                                                                    \
    } while (0)

#endif
