/* dltf hash index: writes binary codes with tables for fast search to one file. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <stdlib.h>

typedef struct index_flags {
    const char *output;
    int64_t threads;
} index_flags;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(index_flags, output), .argument = "FILE", .help = "the index file (default: DATABASE with the ending .index, in this folder)"},
    DL_THREADS_OPTION(index_flags, threads),
};
/* clang-format on */

static void print_report(dltf_index_view v, const char *output, double seconds) {
    facts f = facts_new();
    facts_integer(&f, "codes", "codes", v.rows);
    facts_integer(&f, "bits", "bits", 8 * v.bytes);
    facts_integer(&f, "tables", NULL, v.tables);
    facts_integer(&f, "table_bytes", NULL, v.table_bytes);
    facts_line(&f, "tables", "%lld, %.1f bytes per code", (long long)v.tables,
               (double)v.table_bytes / (double)v.rows);
    facts_real(&f, "seconds", NULL, seconds);
    facts_line(&f, "seconds", "%.2f", seconds);
    facts_text(&f, "output", "written", output);
    output_facts(&f, true);
}

static int make_index(const char *path, const index_flags *flags, const char *output) {
    dltf_index *index = NULL;
    double begin = dl_seconds();
    dltf_status status = dltf_index_load(path, &index);
    if (status == DLTF_OK)
        status = dltf_index_add_tables(index, flags->threads, progress_step, NULL);
    progress_erase();
    if (status == DLTF_OK)
        status = dltf_index_save(index, output);
    if (status == DLTF_OK)
        print_report(dltf_index_get(index), output, dl_seconds() - begin);
    dltf_index_free(index);
    return status == DLTF_OK ? EXIT_OK
                             : library_failure_in(status, (sources){[DLTF_SUBJECT_DATABASE] = path});
}

static int run(const command *self, int count, char **words) {
    index_flags flags = {.output = NULL};
    arguments args;
    if (!arguments_parse(self, count, words, &flags, NULL, &args))
        return args.exit_code;
    const char *path = args.operands[0];
    char *chosen = flags.output ? NULL : files_default_name(path, ".index");
    const char *output = flags.output ? flags.output : chosen;
    if (!output)
        return EXIT_FAILED;
    int code = files_check(1, &path, 1, &output);
    if (code == EXIT_OK)
        code = make_index(path, &flags, output);
    free(chosen);
    return code;
}

const command command_hash_index = {
    .name = "hash index",
    .summary = "write an index for fast search",
    .operands = "DATABASE",
    .details =
        "Writes binary codes of up to 256 bits, with tables in which 'dltf hash search' looks up parts of a "
        "query (multi-index hashing), to one file. The file is mapped, not read, so a search starts at "
        "once. An index pays off for small radii and many codes.",
    .input = "DATABASE",
    .content = DL_CONTENT_MATRIX,
    .own = DL_OPTION_TABLE(own_options, index_flags),
    .json = "number of codes, their bits, number and bytes of the tables",
    .examples = {"dltf hash index database.npy -o database.index", NULL},
    .run = run,
};
