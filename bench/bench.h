/* Shared by all benchmarks. A new benchmark is a file bench_*.c and a row of BENCHMARKS.
 *
 * Machines are noisy, so benchmarks report ratios between methods timed in one run: methods alternate in
 * rounds, and the best time of each counts. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/clock.h"
#include "dltf.h"

#include <jansson.h>
#include <time.h>

enum { BENCH_ROUNDS = 7 };

/* CPU time of this thread, which other processes affect little. For single-threaded benchmarks. */
static inline double bench_cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct benchmark {
    const char *name, *summary;
    const char *caption; /* above the table: units and methods compared */
    int rounds;          /* the best counts */
    dltf_status (*run)(json_t *rows);
    /* Writes the input arrays as .npy files for other programs, without measuring; appends one object per
     * pair of files. NULL if unsupported. */
    dltf_status (*arrays)(const char *directory, json_t *rows);
} benchmark;

/* All benchmarks, in the order of the help. ROW(name) refers to `const benchmark benchmark_name`. */
#define BENCHMARKS(ROW)                                                                                      \
    ROW(encode)                                                                                              \
    ROW(calls)                                                                                               \
    ROW(omp)                                                                                                 \
    ROW(shortlist)                                                                                           \
    ROW(ksvd)                                                                                                \
    ROW(prox)                                                                                                \
    ROW(train)                                                                                               \
    ROW(network)                                                                                             \
    ROW(search)

#define DECLARE(name) extern const benchmark benchmark_##name;
BENCHMARKS(DECLARE)
#undef DECLARE

/* Appends a row and takes ownership of it; NULL counts as out of memory. */
dltf_status bench_append(json_t *rows, json_t *row);

/* Description of machine and build for the report; NULL if out of memory. */
json_t *bench_host(void);

#endif
