/* dltf-bench: runs a benchmark and prints a table or, with --json, a JSON object; -o writes the object to a
 * file. */
#include "bench.h"

#include "base/status.h"
#include "program/program.h"
#include "report/json.h"
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

/* More digits of a measured time would be noise. */
enum { DIGITS = 6 };

#define ADDRESS(name) &benchmark_##name,
static const benchmark *const benchmarks[] = {BENCHMARKS(ADDRESS)};
#undef ADDRESS

enum { COUNT = sizeof benchmarks / sizeof *benchmarks };

dltf_status bench_append(json_t *rows, json_t *row) {
    return json_array_append_new(rows, row) == 0 ? DLTF_OK
                                                 : dl_fail(DLTF_MEMORY, "not enough memory for the report");
}

static void print_usage(FILE *file) {
    fprintf(file, "usage: dltf-bench [--json] [-o FILE] BENCHMARK\n"
                  "       dltf-bench [--json] BENCHMARK --arrays DIR\n"
                  "       dltf-bench --list\n\n");
    for (int i = 0; i < COUNT; i++)
        fprintf(file, "  %-8s %s\n", benchmarks[i]->name, benchmarks[i]->summary);
    fprintf(file, "\n  --json        print a JSON object instead of a table\n"
                  "  -o FILE       also write the JSON object to FILE\n"
                  "  --arrays DIR  write the input arrays of encode to DIR as .npy files, without measuring\n"
                  "  --list        print the names of all benchmarks\n");
}

static void print_names(void) {
    for (int i = 0; i < COUNT; i++)
        puts(benchmarks[i]->name);
}

static int usage_error(const char *format, const char *word) {
    fprintf(stderr, "dltf-bench: ");
    fprintf(stderr, format, word);
    fprintf(stderr, "; try dltf-bench --help\n");
    return 2;
}

static const benchmark *find(const char *name) {
    for (int i = 0; i < COUNT; i++)
        if (strcmp(benchmarks[i]->name, name) == 0)
            return benchmarks[i];
    return NULL;
}

/* The parsed command line. */
typedef struct request {
    const benchmark *chosen;
    bool json;
    const char *output, *arrays;
} request;

static dltf_status write_report(const request *r, const json_t *report) {
    char *text = json_format(report, DIGITS);
    if (!text)
        return dl_fail(DLTF_MEMORY, "not enough memory for the report");
    dltf_status status = r->output ? dl_text_save(text, r->output) : DLTF_OK;
    if (status == DLTF_OK && r->json)
        fputs(text, stdout);
    free(text);
    return status;
}

static void print_table(const benchmark *self, const json_t *rows) {
    printf("%s Best of %d rounds.\n\n", self->caption, self->rounds);
    rows_print(rows, stdout);
}

static int run(const request *r) {
    json_t *rows = json_array();
    json_t *report = json_pack("{s:s, s:s, s:o, s:i, s:O}", "benchmark", r->chosen->name, "version",
                               DLTF_VERSION, "host", bench_host(), "rounds", r->chosen->rounds, "rows", rows);
    dltf_status status = dl_kernels_check();
    if (status == DLTF_OK)
        status = r->arrays ? r->chosen->arrays(r->arrays, rows) : r->chosen->run(rows);
    if (status == DLTF_OK && !r->arrays && !r->json)
        print_table(r->chosen, rows);
    if (status == DLTF_OK)
        status = write_report(r, report);
    if (status == DLTF_OK && fflush(stdout) != 0)
        status = dl_fail(DLTF_FILE, "cannot write the result");
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
        if (strcmp(word, "--list") == 0) {
            print_names();
            return 0;
        }
        if (strcmp(word, "--json") == 0) {
            r.json = true;
        } else if (strcmp(word, "-o") == 0 || strcmp(word, "--arrays") == 0) {
            if (++i == argc)
                return usage_error("%s needs a value", word);
            *(word[1] == 'o' ? &r.output : &r.arrays) = argv[i];
        } else if (word[0] == '-') {
            return usage_error("unknown option %s", word);
        } else if (r.chosen) {
            return usage_error("unexpected argument %s: only one benchmark at a time", word);
        } else {
            r.chosen = find(word);
            if (!r.chosen)
                return usage_error("unknown benchmark %s", word);
        }
    }
    if (!r.chosen)
        return usage_error("benchmark name is missing%s", "");
    if (r.arrays && !r.chosen->arrays)
        return usage_error("%s does not support --arrays", r.chosen->name);
    return run(&r);
}
