/* The size of problems: DLTF_TEST_SMALL=1 asks for small ones, where a sanitizer makes everything slow. */
#ifndef TEST_SIZE_H
#define TEST_SIZE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool test_small(void) {
    const char *text = getenv("DLTF_TEST_SMALL");
    return text && strcmp(text, "1") == 0;
}

#endif
