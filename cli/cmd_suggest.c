/* dltf suggest: tries preprocessing, sizes, selection and encoders on a part of the data and suggests how to
 * train. halving.c has the schedule of trials, suggestion.c the report. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/halving.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/suggestion.h"

#include <stdlib.h>

enum { SELECT_ANY, SELECT_ABS, SELECT_POSITIVE };

typedef struct suggest_flags {
    const char *m, *k;
    int select; /* SELECT_... */
    bool unit_norm;
    double seconds;
    int64_t seed, threads, samples;
} suggest_flags;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "m", .letter = 'm', .kind = DL_OPTION_TEXT, .offset = offsetof(suggest_flags, m), .argument = "LIST", .help = "numbers of atoms to try, as in 128,256 (default: one, two and four times the columns of the data, at most a tenth of the samples)"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_TEXT, .offset = offsetof(suggest_flags, k), .argument = "LIST", .help = "entries per code to try, as in 4,8 (default: a quarter of the columns, at most 64, half and a quarter of that)"},
    {.name = "select", .kind = DL_OPTION_CHOICE, .offset = offsetof(suggest_flags, select), .default_text = "any", .choices = "any|abs|positive", .argument = "RULE", .help = DL_SELECT_HELP "; any: try both"},
    {.name = "unit-norm", .kind = DL_OPTION_FLAG, .offset = offsetof(suggest_flags, unit_norm), .default_text = "false", .help = "scale every sample to norm 1 in all trials; the explained variance is that of the data, with the norms given back"},
    {.name = "seconds", .kind = DL_OPTION_REAL, .offset = offsetof(suggest_flags, seconds), .default_text = "60", .min = 0.1, .max = 1e6, .argument = "S", .help = "budget: CPU time of all threads, from the start of the program"},
    {.name = "samples", .kind = DL_OPTION_INTEGER, .offset = offsetof(suggest_flags, samples), .default_text = "50000", .min = 10, .max = 1e7, .argument = "N", .help = "number of samples to use, evenly spread over DATA; a fifth of them, at most 1,000, are held out from training"},
    DL_SEED_OPTION(suggest_flags, seed, "seed of all random choices"),
    DL_THREADS_ROW(suggest_flags, threads, ". The suggestion does not depend on it if the budget suffices"),
};
/* clang-format on */

typedef struct suggestion {
    arguments args;
    suggest_flags flags;
    dltf_array *array;
    halving search;
} suggestion;

/* ---- Sizes to try ---- */

static void add_size(list_of_integers *list, int64_t value, int64_t least, int64_t most) {
    value = value < least ? least : value > most ? most : value;
    for (int i = 0; i < list->count; i++)
        if (list->values[i] == value)
            return;
    list->values[list->count++] = value;
}

static int compare_integers(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* m: one, two and four times the columns; k: a quarter of the columns, half of that, half again. */
static int choose_sizes(suggestion *s, dltf_matrix X) {
    halving *h = &s->search;
    int64_t n = X.cols, most_m = X.rows / 10 > 2 ? X.rows / 10 : 2, most_k = n / 4 < 64 ? n / 4 : 64;
    int code = lists_read("m", s->flags.m, 1, &h->m);
    if (code == EXIT_OK)
        code = lists_read("k", s->flags.k, 1, &h->k);
    if (code != EXIT_OK)
        return code;
    if (h->m.count > HALVING_SIZES || h->k.count > HALVING_SIZES)
        return usage_error("more than %d sizes to try", HALVING_SIZES);
    h->m_given = h->m.count > 0;
    h->k_given = h->k.count > 0;
    for (int64_t factor = 1; factor <= 4 && !h->m_given; factor *= 2)
        add_size(&h->m, factor * n, 2, most_m);
    qsort(h->m.values, (size_t)h->m.count, sizeof *h->m.values, compare_integers);
    for (int64_t part = 4; part >= 1 && !h->k_given; part /= 2)
        add_size(&h->k, (most_k + part - 1) / part, 1, h->m.values[0]);
    qsort(h->k.values, (size_t)h->k.count, sizeof *h->k.values, compare_integers);
    if (h->k.values[0] > h->m.values[0])
        return usage_error("--k: %lld is more than m = %lld atoms", (long long)h->k.values[0],
                           (long long)h->m.values[0]);
    return EXIT_OK;
}

static int load(suggestion *s) {
    enum { LEAST = 10, MOST_VALUES = 1 << 25 }; /* 128 MiB of floats */
    const char *name = s->args.operands[0];
    int code = files_load_data(name, &s->array);
    if (code != EXIT_OK)
        return code;
    dltf_matrix X = dltf_array_matrix(s->array);
    if (X.rows < LEAST)
        return failure("%s: %s: at least %d are needed, to hold some out", name, counted(X.rows, "sample"),
                       LEAST);
    code = choose_sizes(s, X);
    if (code != EXIT_OK)
        return code;
    int64_t most = MOST_VALUES / (X.cols < MOST_VALUES ? X.cols : MOST_VALUES);
    most = most < s->flags.samples ? most : s->flags.samples;
    halving *h = &s->search;
    dltf_status status =
        trial_data_new(X, most > LEAST ? most : LEAST, h->k.values[h->k.count - 1], &h->data);
    if (status == DLTF_DATA)
        return failure(
            "%s: row %lld, column %lld is not a finite number in single precision (counting from 0): "
            "replace it, or rescale the data",
            name, (long long)h->data.bad_row, (long long)h->data.bad_column);
    if (status != DLTF_OK)
        return library_failure(status);
    h->data.seed = s->flags.seed;
    h->data.threads = s->flags.threads;
    return EXIT_OK;
}

static int search(suggestion *s) {
    halving *h = &s->search;
    h->seconds = s->flags.seconds;
    h->unit_norm = s->flags.unit_norm;
    h->abs = s->flags.select != SELECT_POSITIVE;
    h->positive = s->flags.select != SELECT_ABS;
    dltf_status status = halving_run(h);
    progress_erase();
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = s->args.operands[0]});
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static suggestion s; /* large */
    if (!arguments_parse(self, count, words, &s.flags, NULL, &s.args))
        return s.args.exit_code;
    int code = load(&s);
    if (code == EXIT_OK)
        code = search(&s);
    if (code == EXIT_OK)
        suggestion_print(&s.search, s.args.operands[0], dltf_array_matrix(s.array).rows, s.args.common.json);
    trial_data_free(&s.search.data);
    dltf_array_free(s.array);
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
        "must explain more: " HALVING_RULE ". The table shows the best setting for every m and k, to choose "
        "another trade-off from. No trial is begun that is not expected to fit the budget. If the budget is "
        "too small for all trials, they are shortened, some are left out, and the report says so; otherwise "
        "the "
        "suggestion depends on DATA, seed and options only. Full training takes longer than the trials and "
        "explains more. If the size of codes is limited, set k with -k.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, suggest_flags),
    .json = "the trials with their explained variance and costs, which one was chosen, what was varied and "
            "fixed, whether the budget sufficed, the command and its cost",
    .examples = {"dltf suggest X.npy", "dltf suggest X.npy --seconds 10 --threads 2",
                 "dltf suggest X.npy -k 16 -m 256,512,1024 --select positive --seconds 300", NULL},
    .run = run,
};
