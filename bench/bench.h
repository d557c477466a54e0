/* What every benchmark shares. A benchmark is one file bench_*.c and one line of the table in main.c.
 *
 * Machines are noisy, so what counts is the ratio between methods timed in one run: rounds in which all take
 * turns, the best time of each. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "dltf.h"

#include <jansson.h>
#include <stdio.h>
#include <time.h>

enum { BENCH_ROUNDS = 7 };

/* Of this thread's CPU, not of the wall: other processes then cost little. For benchmarks that run on one
 * thread. */
static inline double bench_cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Prints a table for people to `table` (NULL: none) and appends one object for each of its lines to `rows`.
 */
typedef dltf_status (*bench_run)(FILE *table, json_t *rows);

dltf_status bench_encode(FILE *table, json_t *rows);
dltf_status bench_omp(FILE *table, json_t *rows);

dltf_status bench_ksvd(FILE *table, json_t *rows);
dltf_status bench_prox(FILE *table, json_t *rows);
dltf_status bench_train(FILE *table, json_t *rows);

/* Writes the samples and dictionaries of bench_encode as SHAPE.X.npy and SHAPE.W.npy, for others to measure
 * with (bench/peers), and appends one object for each shape to `rows`. */
dltf_status bench_encode_arrays(const char *directory, json_t *rows);

/* The machine and the build, for a report; NULL without memory. */
json_t *bench_host(void);

#endif
