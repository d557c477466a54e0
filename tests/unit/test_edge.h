/* Structs at the end of readable memory: the library must not touch a byte behind them. */
#ifndef TEST_EDGE_H
#define TEST_EDGE_H

#include "test_util.h"

#include <sys/mman.h>
#include <unistd.h>

/* `size` bytes of 0xAA right before a page that cannot be accessed. The next call returns the same memory. */
static inline void *at_edge(size_t size) {
    static unsigned char *edge;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!edge) {
        unsigned char *pages = aligned_alloc(page, 2 * page);
        assert_non_null(pages);
        assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
        edge = pages + page;
    }
    assert_true(size <= page);
    return memset(edge - size, 0xAA, size);
}

#endif
