/* dltf-bench: chooses the benchmark, prints its table or, with --json, one JSON object. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct benchmark {
    const char *name, *help;
    bench_run run;
} benchmark;

static const benchmark benchmarks[] = {
    {"encode", "thresholded features against a bare sgemm, 1 and 2 threads, and one sample at a time",
     bench_encode},
    {"prox", "the (k,2)-norm proximal mapping: kernel, Algorithm 1, subgradient method; ns per column",
     bench_prox},
    {"train", "iterations of the learner against their matrix products, 1 and 2 threads", bench_train},
};

enum { COUNT = sizeof benchmarks / sizeof *benchmarks };

static void print_usage(FILE *file) {
    fprintf(file, "usage: dltf-bench [--json] BENCHMARK\n\n");
    for (int i = 0; i < COUNT; i++)
        fprintf(file, "  %-8s %s\n", benchmarks[i].name, benchmarks[i].help);
    fprintf(file, "\n  --json   one JSON object instead of a table\n");
}

static int usage_error(const char *sentence, const char *word) {
    fprintf(stderr, "dltf-bench: ");
    fprintf(stderr, sentence, word);
    fprintf(stderr, "; try dltf-bench --help\n");
    return 2;
}

static const benchmark *find(const char *name) {
    for (int i = 0; i < COUNT; i++)
        if (strcmp(benchmarks[i].name, name) == 0)
            return &benchmarks[i];
    return NULL;
}

static int run(const benchmark *chosen, bool json) {
    json_t *rows = json_array();
    json_t *report = json_pack("{s:s, s:s, s:i, s:O}", "benchmark", chosen->name, "version", DLTF_VERSION,
                               "rounds", BENCH_ROUNDS, "rows", rows);
    dltf_status status = chosen->run(json ? NULL : stdout, rows);
    bool written = true;
    if (status != DLTF_OK)
        fprintf(stderr, "dltf-bench: %s\n", dltf_message());
    else if (json)
        written =
            json_dumpf(report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0 && putchar('\n') != EOF;
    written = written && fflush(stdout) == 0;
    if (!written)
        fprintf(stderr, "dltf-bench: the result could not be written\n");
    json_decref(rows);
    json_decref(report);
    return status == DLTF_OK && written ? 0 : 1;
}

int main(int argc, char **argv) {
    const benchmark *chosen = NULL;
    bool json = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_usage(stdout);
            return 0;
        }
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (argv[i][0] == '-') {
            return usage_error("%s is not an option", argv[i]);
        } else if (chosen) {
            return usage_error("%s: one benchmark at a time", argv[i]);
        } else {
            chosen = find(argv[i]);
            if (!chosen)
                return usage_error("there is no benchmark named %s", argv[i]);
        }
    }
    return chosen ? run(chosen, json) : usage_error("the name of a benchmark is needed%s", "");
}
