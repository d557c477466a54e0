/* The one clock of the library and its programs. */

#include "dltf/core.h"

#include <time.h>

double dltf_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
