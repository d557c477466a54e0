/* dltf reproduce: runs an experiment of the paper and prints its rows as a table, JSON or CSV. The
 * experiments themselves are in experiments/. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "experiments/cells.h"
#include "experiments/experiment.h"
#include "experiments/selection.h"
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct reproduce_flags {
    const char *methods, *settings, *datasets, *csv, *data, *figures, *keep, *trial;
    int64_t seeds, seed, threads, jobs;
    bool quick, plan, validation;
} reproduce_flags;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "methods", .kind = DL_OPTION_TEXT, .offset = offsetof(reproduce_flags, methods), .argument = "LIST", .help = "comma-separated methods to run (default: all)"},
    {.name = "settings", .kind = DL_OPTION_TEXT, .offset = offsetof(reproduce_flags, settings), .argument = "LIST", .help = "comma-separated settings to run, as key=value; values of the same key are alternatives, as in k=4,k=8 (default: all)"},
    {.name = "dataset", .kind = DL_OPTION_TEXT, .offset = offsetof(reproduce_flags, datasets), .argument = "LIST", .help = "comma-separated data sets to run on; the beginning of a name is enough, as in fashion (default: all)"},
    {.name = "plan", .kind = DL_OPTION_FLAG, .offset = offsetof(reproduce_flags, plan), .default_text = "false", .help = "print the rows that would be measured, without measuring"},
    {.name = "seeds", .kind = DL_OPTION_INTEGER, .offset = offsetof(reproduce_flags, seeds), .default_text = "3", .min = 1, .max = 1e6, .argument = "S", .help = "runs per row, each with its own seed"},
    {.name = "seed", .kind = DL_OPTION_INTEGER, .offset = offsetof(reproduce_flags, seed), .default_text = "0", .max = 1e15, .argument = "FIRST", .help = "seed of the first run"},
    {.name = "quick", .kind = DL_OPTION_FLAG, .offset = offsetof(reproduce_flags, quick), .default_text = "false", .help = "less data and fewer settings, for a first look"},
    DL_THREADS_ROW(reproduce_flags, threads, ""),
    {.name = "jobs", .kind = DL_OPTION_INTEGER, .offset = offsetof(reproduce_flags, jobs), .default_text = "1", .min = 1, .max = 64, .argument = "J", .help = "concurrent runs, each in its own process that uses T threads, or its share of the cores"},
    {.name = "keep", .kind = DL_OPTION_TEXT, .offset = offsetof(reproduce_flags, keep), .argument = "DIR", .help = "keep finished runs in this folder, created if missing, and skip those already in it, so that an interrupted experiment can be continued"},
    {.name = "validation", .kind = DL_OPTION_FLAG, .offset = offsetof(reproduce_flags, validation), .default_text = "false", .help = "measure on part of the training data instead of the test data, to choose constants; for experiments that support it"},
    {.name = "try", .kind = DL_OPTION_TEXT, .offset = offsetof(reproduce_flags, trial), .argument = "LIST", .help = "with --validation: other values of constants, as in rate=0.05,dropout=0.25"},
    {.name = "csv", .kind = DL_OPTION_TEXT, .offset = offsetof(reproduce_flags, csv), .argument = "FILE.csv", .help = "also write the rows as CSV"},
    {.name = "data", .kind = DL_OPTION_TEXT, .offset = offsetof(reproduce_flags, data), .argument = "DIR", .help = "folder of data sets and images (default: $DLTF_DATA)"},
    {.name = "figures", .kind = DL_OPTION_TEXT, .offset = offsetof(reproduce_flags, figures), .argument = "DIR", .help = "also draw the figure of the experiment into this folder, created if missing"},
};
/* clang-format on */

static operand_choice experiment_choice(int index) {
    const experiment *self = experiment_list[index];
    return self ? (operand_choice){self->name, self->summary, self->details, self->methods}
                : (operand_choice){.word = NULL};
}

/* ---- Errors ---- */

enum { LIST_SIZE = 512 };

/* "a, b, c" */
static void append_name(char list[LIST_SIZE], const char *name) {
    size_t used = strlen(list);
    snprintf(list + used, LIST_SIZE - used, "%s%s", used ? ", " : "", name);
}

static int unknown_experiment(const char *name) {
    char all[LIST_SIZE] = "";
    for (int i = 0; experiment_list[i]; i++)
        append_name(all, experiment_list[i]->name);
    return usage_error("unknown experiment '%s'; expected one of: %s", name, all);
}

static int check_selection(const experiment *chosen, const experiment_request *request) {
    char item[64], all[LIST_SIZE] = "";
    if (selection_unknown_method(chosen, request, item, sizeof item)) {
        for (int i = 0; chosen->methods[i]; i++)
            append_name(all, chosen->methods[i]);
        return usage_error("%s has no method '%s'; expected one of: %s", chosen->name, item, all);
    }
    if (selection_unknown_dataset(chosen, request, item, sizeof item)) {
        selection_datasets(chosen, all, sizeof all);
        if (all[0] == '\0')
            return usage_error("%s has no data sets: omit --dataset", chosen->name);
        return usage_error("%s has no data set '%s'; expected one of: %s", chosen->name, item, all);
    }
    if (selection_unknown_setting(chosen, request, item, sizeof item))
        return usage_error("%s has no setting '%s'; --plan lists them", chosen->name, item);
    experiment_request unrestricted = *request; /* without data it has no rows, either, which is no mistake */
    unrestricted.methods = unrestricted.settings = unrestricted.datasets = NULL;
    if (cells_exist(chosen, &unrestricted) && !cells_exist(chosen, request))
        return usage_error("%s has no row with this method and setting; --plan lists them", chosen->name);
    return EXIT_OK;
}

static int check_validation(const experiment *chosen, const reproduce_flags *flags) {
    if (flags->trial && !flags->validation)
        return usage_error("--try needs --validation: constants are not chosen on test data");
    if (!flags->validation)
        return EXIT_OK;
    if (!chosen->check_trial)
        return usage_error("%s has no validation data: omit --validation", chosen->name);
    dltf_status status = chosen->check_trial(flags->trial);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

/* The folder to keep cells in, and the file in it. */
static int check_keep(const reproduce_flags *flags) {
    if (!flags->keep)
        return EXIT_OK;
    int code = files_make_folder(flags->keep);
    char *path = code == EXIT_OK ? files_join(flags->keep, "/cells.jsonl") : NULL;
    if (!path)
        return EXIT_FAILED;
    const char *output = path;
    code = files_check(0, NULL, 1, &output);
    free(path);
    return code;
}

static int check_figures(const experiment *chosen, const reproduce_flags *flags) {
    if (!flags->figures)
        return EXIT_OK;
    if (!chosen->figure)
        return usage_error("%s has no figure: omit --figures", chosen->name);
    if (flags->plan)
        return usage_error("--plan measures nothing to draw: omit --figures");
    return files_make_folder(flags->figures);
}

/* ---- Results ---- */

/* CSV columns are fixed; JSON objects omit keys without a value. */
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
        output_rows(rows);
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

static int run_experiment(const experiment *chosen, const experiment_request *request,
                          const reproduce_flags *flags, bool json) {
    remark("%s: %s", chosen->name, chosen->summary);
    const char *notice = chosen->notice ? chosen->notice(request) : NULL;
    if (notice)
        remark("%s", notice);
    if (request->quick)
        remark("--quick: less data and fewer settings. Compare with neither full results nor the paper.");
    json_t *result = NULL;
    dltf_status status = experiment_run(chosen, request, &result);
    progress_erase();
    if (status == DLTF_CANCELLED && flags->keep) {
        failure("interrupted; finished runs are kept in %s: run the same command to continue", flags->keep);
        return interrupt_exit_code();
    }
    if (status == DLTF_FILE && dltf_last_error().status != DLTF_FILE) /* not by the library */
        return failure("%s/cells.jsonl: cannot write", flags->keep);
    if (status != DLTF_OK)
        return library_failure(status);
    int code = flags->figures ? draw_figure(chosen, request, result, flags->figures) : EXIT_OK;
    if (code == EXIT_OK)
        code = print_result(result, flags, json);
    json_decref(result);
    return code;
}

static int run(const command *self, int count, char **words) {
    reproduce_flags flags = {.methods = NULL};
    arguments args;
    if (!arguments_parse(self, count, words, &flags, NULL, &args))
        return args.exit_code;
    const experiment *chosen = experiment_find(args.operands[0]);
    if (!chosen)
        return unknown_experiment(args.operands[0]);
    experiment_request request = {
        .methods = flags.methods,
        .settings = flags.settings,
        .datasets = flags.datasets,
        .seeds = flags.seeds,
        .first_seed = flags.seed,
        .threads = flags.threads,
        .quick = flags.quick,
        .plan = flags.plan,
        .validation = flags.validation,
        .trial = flags.trial,
        .keep = flags.keep,
        .jobs = flags.jobs,
        .data = flags.data ? flags.data : getenv("DLTF_DATA"),
        .progress = progress_step,
    };
    int code = check_selection(chosen, &request);
    if (code == EXIT_OK)
        code = check_validation(chosen, &flags);
    if (code == EXIT_OK)
        code = check_keep(&flags);
    if (code == EXIT_OK)
        code = files_check(0, NULL, 1, &flags.csv);
    if (code == EXIT_OK)
        code = check_figures(chosen, &flags);
    return code == EXIT_OK ? run_experiment(chosen, &request, &flags, args.common.json) : code;
}

const command command_reproduce = {
    .name = "reproduce",
    .summary = "run an experiment of the paper",
    .operands = "EXPERIMENT",
    .details =
        "Runs an experiment of the paper and prints mean and standard deviation over seeds, next to the "
        "paper's values.",
    .own = DL_OPTION_TABLE(own_options, reproduce_flags),
    .json = "experiment, protocol, and rows with flat keys",
    .choices = experiment_choice,
    .choices_title = "Experiments",
    .choices_option = "methods",
    .examples = {"dltf reproduce table1 --quick",
                 "dltf reproduce table1 --methods original,dltf --seeds 5 --json",
                 "dltf reproduce table3 --data data --dataset fashion --jobs 2 --keep runs",
                 "dltf reproduce figure1 --quick --seeds 1 --csv figure1.csv --figures .",
                 "dltf reproduce table4 --data images --figures table4", NULL},
    .run = run,
};
