/* What every benchmark shares. A new one is a file bench_*.c and a row of BENCHMARKS.
 *
 * Machines are noisy, so what counts is the ratio between methods timed in one run: rounds in which all take
 * turns, the best time of each. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "dltf.h"

#include <jansson.h>
#include <time.h>

enum { BENCH_ROUNDS = 7 };

/* Of this thread's CPU, not of the wall: other processes then cost little. For benchmarks that run on one
 * thread. */
static inline double bench_cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct benchmark {
    const char *name, *summary;
    const char *caption; /* over the table: units, and what is compared */
    int rounds;          /* of which the best counts */
    dltf_status (*run)(json_t *rows);
    /* Measures nothing and writes what is measured with as .npy files, for others to measure with; appends
     * one object for each pair of files. NULL: there is no such thing. */
    dltf_status (*arrays)(const char *directory, json_t *rows);
} benchmark;

/* All of them, in the order of the help. ROW(name) stands for a `const benchmark benchmark_name`. */
#define BENCHMARKS(ROW)                                                                                      \
    ROW(encode)                                                                                              \
    ROW(omp)                                                                                                 \
    ROW(shortlist)                                                                                           \
    ROW(ksvd)                                                                                                \
    ROW(prox)                                                                                                \
    ROW(train)

#define DECLARE(name) extern const benchmark benchmark_##name;
BENCHMARKS(DECLARE)
#undef DECLARE

/* Appends a new row, which it takes over; NULL counts as lack of memory. */
dltf_status bench_append(json_t *rows, json_t *row);

/* The machine and the build, for a report; NULL without memory. */
json_t *bench_host(void);

#endif
