/* dltf reproduce: runs an experiment of the paper and prints its rows as a table, JSON or CSV. The
 * experiments themselves are in experiments/. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "experiments/experiment.h"
#include "report/rows.h"

#include <stdlib.h>

typedef struct reproduce_flags {
    const char *methods, *csv, *data, *figures;
    int64_t seeds, seed, threads;
    bool quick;
} reproduce_flags;

/* clang-format off */
static const dltf_option own_options[] = {
    {.name = "methods", .kind = DLTF_OPTION_TEXT, .offset = offsetof(reproduce_flags, methods), .argument = "LIST", .help = "methods to run, separated by commas; default: all"},
    {.name = "seeds", .kind = DLTF_OPTION_INTEGER, .offset = offsetof(reproduce_flags, seeds), .default_text = "3", .min = 1, .max = 1e6, .argument = "S", .help = "runs per row, each with a seed of its own"},
    {.name = "seed", .kind = DLTF_OPTION_INTEGER, .offset = offsetof(reproduce_flags, seed), .default_text = "0", .max = 1e15, .argument = "FIRST", .help = "the first seed"},
    {.name = "quick", .kind = DLTF_OPTION_FLAG, .offset = offsetof(reproduce_flags, quick), .default_text = "false", .help = "less data and fewer settings, for a first look"},
    {.name = "threads", .kind = DLTF_OPTION_INTEGER, .offset = offsetof(reproduce_flags, threads), .default_text = "0", .max = 1024, .argument = "T", .help = "threads to use; 0: all cores"},
    {.name = "csv", .kind = DLTF_OPTION_TEXT, .offset = offsetof(reproduce_flags, csv), .argument = "FILE.csv", .help = "also write the rows as CSV"},
    {.name = "data", .kind = DLTF_OPTION_TEXT, .offset = offsetof(reproduce_flags, data), .argument = "DIR", .help = "folder of data sets and images; default: what DLTF_DATA names"},
    {.name = "figures", .kind = DLTF_OPTION_TEXT, .offset = offsetof(reproduce_flags, figures), .argument = "DIR", .help = "also draw the figure that belongs to the experiment, into this folder; made if it is not there"},
};
/* clang-format on */

static void print_names(FILE *out) {
    for (int i = 0; experiment_list[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", experiment_list[i]->name);
}

static int unknown_experiment(const char *name) {
    char *names = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&names, &size);
    if (out) {
        print_names(out);
        fclose(out);
    }
    int code = usage_error("there is no experiment '%s'; there are: %s", name, names ? names : "");
    free(names);
    return code;
}

static int check_methods(const experiment *chosen, const char *methods) {
    char name[64], all[512];
    if (!experiment_unknown_method(chosen, methods, name, sizeof name))
        return EXIT_OK;
    size_t used = 0;
    all[0] = '\0';
    for (int i = 0; chosen->methods[i] && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", chosen->methods[i]);
    return usage_error("%s has no method '%s'; it has: %s", chosen->name, name, all);
}

/* Columns of a CSV are always the same; a JSON object has no key where there is no value. */
static void drop_nulls(json_t *rows) {
    const char *key = NULL;
    json_t *value = NULL;
    void *next = NULL;
    for (size_t i = 0; i < json_array_size(rows); i++)
        json_object_foreach_safe(json_array_get(rows, i), next, key, value) {
            if (json_is_null(value))
                json_object_del(json_array_get(rows, i), key);
        }
}

static int print_result(json_t *result, const reproduce_flags *flags, bool json) {
    json_t *rows = json_object_get(result, "rows");
    char *text = flags->csv ? rows_csv(rows) : NULL;
    if (json) {
        drop_nulls(rows);
        output_json(result);
    } else
        rows_print(rows, stdout);
    int code = flags->csv ? files_save_text(flags->csv, text) : EXIT_OK;
    free(text);
    return code;
}

static int draw_figure(const experiment *chosen, const experiment_request *request, const json_t *result,
                       const char *folder) {
    dltf_status status = chosen->figure(request, json_object_get(result, "rows"), folder);
    progress_erase();
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int run(const command *self, int count, char **words) {
    reproduce_flags flags = {.methods = NULL};
    arguments args;
    if (!arguments_parse(self, count, words, &flags, NULL, &args))
        return args.exit_code;
    const experiment *chosen = experiment_find(args.operands[0]);
    if (!chosen)
        return unknown_experiment(args.operands[0]);
    int code = check_methods(chosen, flags.methods);
    if (code == EXIT_OK)
        code = files_check(0, NULL, 1, &flags.csv);
    if (code == EXIT_OK && flags.figures)
        code = chosen->figure ? files_make_folder(flags.figures)
                              : usage_error("%s has no figure; leave --figures out", chosen->name);
    if (code != EXIT_OK)
        return code;
    remark("%s: %s", chosen->name, chosen->summary);
    experiment_request request = {
        .methods = flags.methods,
        .seeds = flags.seeds,
        .first_seed = flags.seed,
        .threads = flags.threads,
        .quick = flags.quick,
        .data = flags.data ? flags.data : getenv("DLTF_DATA"),
        .progress = progress_step,
    };
    const char *notice = chosen->notice ? chosen->notice(&request) : NULL;
    if (notice)
        remark("%s", notice);
    json_t *result = NULL;
    dltf_status status = experiment_run(chosen, &request, &result);
    progress_erase();
    if (status != DLTF_OK)
        return library_failure(status);
    if (flags.figures)
        code = draw_figure(chosen, &request, result, flags.figures);
    if (code == EXIT_OK)
        code = print_result(result, &flags, args.common.json);
    json_decref(result);
    return code;
}

const command command_reproduce = {
    .name = "reproduce",
    .summary = "run an experiment of the paper",
    .operands = "EXPERIMENT",
    .details =
        "Runs an experiment of the paper and prints mean and standard deviation over seeds beside the "
        "paper's own values. table1: support recovery on synthetic data; methods original, random, "
        "dltf (tied), dltf-admm, admm-as-written, ksvd, dltf-tight, dltf-dual, dltf-distilled, "
        "dltf-dual-positive, dltf-distilled-positive, dltf-2-passes. figure1: the same while lambda, theta "
        "or n varies; "
        "methods dltf, dltf-admm, original, ksvd. timing: the thresholded feature against orthogonal "
        "matching pursuit; methods original, dltf. certificates (not in the paper): supports proven "
        "from a sample and a bound on its noise; methods true, feature, exchanged. encoders (not in the "
        "paper): encoders on codes of several kinds, and with k misjudged; methods original, dltf, "
        "dltf-tight, dltf-dual, dltf-distilled. images (not in the paper): encoders on Fashion-MNIST "
        "and MNIST; methods ksvd, tied, tight, dual, distilled. table4: denoising of House "
        "and other images; methods noisy, dltf (the paper's protocol), ksvd, one-pass, one-pass-256, best "
        "(two stages), best-estimated.",
    .own = DLTF_OPTION_TABLE(own_options, reproduce_flags),
    .json = "experiment, protocol, and rows with flat keys",
    .operand_words = print_names,
    .examples = {"dltf reproduce table1 --quick",
                 "dltf reproduce table1 --methods original,dltf --seeds 5 --json",
                 "dltf reproduce figure1 --quick --seeds 1 --csv figure1.csv --figures .",
                 "dltf reproduce table4 --data images --figures table4", NULL},
    .run = run,
};
