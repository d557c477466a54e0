/* dltf suggest: tries preprocessing, sizes, selection and encoders on a part of the data and suggests how to
 * train. The search is dltf_suggest, suggestion.c has the report. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/suggestion.h"

static int run(const command *self, int count, char **words) {
    dltf_suggest_options options = dltf_suggest_options_default();
    arguments args;
    dltf_array *array = NULL;
    dltf_suggestion *found = NULL;
    if (!arguments_parse(self, count, words, NULL, &options, &args))
        return args.exit_code;
    const char *data = args.operands[0];
    int code = files_load_data(data, &array);
    if (code == EXIT_OK) {
        dltf_status status = dltf_suggest(dltf_array_matrix(array), &options, progress_step, NULL, &found);
        progress_erase();
        if (status != DLTF_OK)
            code = library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = data});
    }
    if (code == EXIT_OK)
        suggestion_print(found, data, args.common.json);
    dltf_suggestion_free(found);
    dltf_array_free(array);
    return code;
}

const command command_suggest = {
    .name = "suggest",
    .summary = "try sizes, preprocessing and encoders on data, and suggest how to train",
    .operands = "DATA",
    .details =
        "Trains small models on a part of DATA and measures how much of the variance of held-out samples "
        "their codes explain. All combinations of preprocessing (none, that is --no-center; --center; "
        "--remove-mean), m, k and "
        "selection are tried on few samples, the better quarter and the best of every m and k on four times "
        "as many, and so on. At the end encoder best is tried with the best settings. A costlier setting "
        "must explain more: " DL_HALVING_RULE
        ". The table shows the best setting for every m and k, to choose "
        "another trade-off from. No trial is begun that is not expected to fit the budget. If the budget is "
        "too small for all trials, they are shortened, some are left out, and the report says so; otherwise "
        "the "
        "suggestion depends on DATA, seed and options only. Full training takes longer than the trials and "
        "explains more. If the size of codes is limited, set k with -k.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .library = dl_suggest_option_table,
    .library_title = "Trials",
    .json = "the trials with their explained variance and costs, which one was chosen, what was varied and "
            "fixed, whether the budget sufficed, the command and its cost",
    .examples = {"dltf suggest X.npy", "dltf suggest X.npy --seconds 10 --threads 2",
                 "dltf suggest X.npy -k 16 -m 256,512,1024 --select positive --seconds 300", NULL},
    .run = run,
};
