/* A temporary file for a group of tests: setup and teardown. */
#ifndef DL_TEST_PATH_H
#define DL_TEST_PATH_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/dltf-test-XXXXXX";

static int make_path(void **state) {
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static inline int remove_path(void **state) {
    (void)state;
    return remove(path);
}

#endif
