/* Structs at the end of readable memory: the library must not touch a byte behind them. */
#ifndef TEST_EDGE_H
#define TEST_EDGE_H

#include "test_util.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* `size` bytes of 0xAA right before a page that cannot be accessed. The next call returns the same memory. */
static inline void *at_edge(size_t size) {
    static unsigned char *edge;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!edge) {
        int zeros = open("/dev/zero", O_RDWR); /* not the heap, which LeakSanitizer reads */
        unsigned char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
        assert_true(pages != MAP_FAILED);
        close(zeros);
        assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
        edge = pages + page;
    }
    assert_true(size <= page);
    return memset(edge - size, 0xAA, size);
}

#endif
