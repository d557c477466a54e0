/* dltf-bench: chooses the benchmark, prints its table or, with --json, one JSON object, which -o writes to a
 * file. */
#include "bench.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct benchmark {
    const char *name, *help;
    bench_run run;
} benchmark;

static const benchmark benchmarks[] = {
    {"encode", "thresholded features against a bare sgemm, 1 and 2 threads, and one sample at a time",
     bench_encode},
    {"omp", "orthogonal matching pursuit against a bare sgemm, one thread", bench_omp},
    {"ksvd", "K-SVD: samples times iterations per second, one thread", bench_ksvd},
    {"prox", "the (k,2)-norm proximal mapping: kernel, Algorithm 1, subgradient method; ns per column",
     bench_prox},
    {"train", "iterations of the learner against their matrix products, 1 and 2 threads", bench_train},
};

enum { COUNT = sizeof benchmarks / sizeof *benchmarks };

static void print_usage(FILE *file) {
    fprintf(file, "usage: dltf-bench [--json] [-o FILE] BENCHMARK\n"
                  "       dltf-bench [--json] encode --arrays DIR\n\n");
    for (int i = 0; i < COUNT; i++)
        fprintf(file, "  %-8s %s\n", benchmarks[i].name, benchmarks[i].help);
    fprintf(file,
            "\n  --json        one JSON object instead of a table\n"
            "  -o FILE       writes the JSON object to FILE, whatever is printed\n"
            "  --arrays DIR  measures nothing; writes what encode measures with as .npy files to DIR\n");
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

/* What the command line asks for. */
typedef struct request {
    const benchmark *chosen;
    bool json;
    const char *output, *arrays;
} request;

static dltf_status write_report(const request *r, const json_t *report) {
    dl_text text = {0};
    char *dump = json_dumps(report, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    if (!dump)
        return dl_fail(DLTF_MEMORY, "not enough memory for the report");
    dl_text_append(&text, "%s\n", dump);
    free(dump);
    dltf_status status = dl_text_status(&text);
    if (status == DLTF_OK && r->output)
        status = dltf_text_save(text.data, r->output);
    if (status == DLTF_OK && r->json)
        fputs(text.data, stdout);
    dl_text_free(&text);
    return status;
}

static int run(const request *r) {
    json_t *rows = json_array();
    json_t *report = json_pack("{s:s, s:s, s:o, s:i, s:O}", "benchmark", r->chosen->name, "version",
                               DLTF_VERSION, "host", bench_host(), "rounds", BENCH_ROUNDS, "rows", rows);
    dltf_status status =
        r->arrays ? bench_encode_arrays(r->arrays, rows) : r->chosen->run(r->json ? NULL : stdout, rows);
    if (status == DLTF_OK)
        status = write_report(r, report);
    if (status == DLTF_OK && fflush(stdout) != 0)
        status = dl_fail(DLTF_FILE, "the result could not be written");
    if (status != DLTF_OK)
        fprintf(stderr, "dltf-bench: %s\n", dltf_message());
    json_decref(rows);
    json_decref(report);
    return status == DLTF_OK ? 0 : 1;
}

int main(int argc, char **argv) {
    request r = {0};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_usage(stdout);
            return 0;
        }
        if (strcmp(word, "--json") == 0) {
            r.json = true;
        } else if (strcmp(word, "-o") == 0 || strcmp(word, "--arrays") == 0) {
            if (++i == argc)
                return usage_error("%s needs a name", word);
            *(word[1] == 'o' ? &r.output : &r.arrays) = argv[i];
        } else if (word[0] == '-') {
            return usage_error("%s is not an option", word);
        } else if (r.chosen) {
            return usage_error("%s: one benchmark at a time", word);
        } else {
            r.chosen = find(word);
            if (!r.chosen)
                return usage_error("there is no benchmark named %s", word);
        }
    }
    if (!r.chosen)
        return usage_error("the name of a benchmark is needed%s", "");
    if (r.arrays && r.chosen->run != bench_encode)
        return usage_error("--arrays goes with encode, not with %s", r.chosen->name);
    return run(&r);
}
