/* dltf suggest: tries preprocessing, sizes and encoders on a part of the data and suggests how to train. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/lists.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/trials.h"
#include "report/json.h"

#include <math.h>
#include <stdlib.h>

typedef struct suggest_flags {
    const char *m, *k;
    double seconds;
    int64_t seed, threads, samples;
} suggest_flags;

/* clang-format off */
static const dltf_option own_options[] = {
    {.name = "m", .letter = 'm', .kind = DLTF_OPTION_TEXT, .offset = offsetof(suggest_flags, m), .argument = "LIST", .help = "numbers of atoms to try, as in 128,256 (default: one, two and four times the columns of the data, at most a tenth of the samples)"},
    {.name = "k", .letter = 'k', .kind = DLTF_OPTION_TEXT, .offset = offsetof(suggest_flags, k), .argument = "LIST", .help = "entries per code to try, as in 4,8 (default: a sixteenth, an eighth and a quarter of the columns, at most 60)"},
    {.name = "seconds", .kind = DLTF_OPTION_REAL, .offset = offsetof(suggest_flags, seconds), .default_text = "60", .min = 1, .max = 1e6, .argument = "S", .help = "approximate time for all trials; those that do not fit are skipped"},
    {.name = "samples", .kind = DLTF_OPTION_INTEGER, .offset = offsetof(suggest_flags, samples), .default_text = "10000", .min = 10, .max = 1e7, .argument = "N", .help = "number of samples to use, evenly spread over DATA; a fifth of them are held out from training"},
    {.name = "seed", .kind = DLTF_OPTION_INTEGER, .offset = offsetof(suggest_flags, seed), .default_text = "0", .max = 9.0e18, .argument = "S", .help = "seed of all random choices"},
    {.name = "threads", .kind = DLTF_OPTION_INTEGER, .offset = offsetof(suggest_flags, threads), .default_text = "0", .max = 1024, .argument = "T", .help = "threads to use; 0: all cores"},
};
/* clang-format on */

/* By how much a costlier setting must lower the error to be chosen. */
static const double GAIN_PREPROCESSING = 0.05, GAIN_K = 0.3, GAIN_M = 0.05, GAIN_ENCODER = 0.03;
static const double MOST_UNUSED = 0.2; /* share of atoms; with more unused, m is too large */

enum { MOST_TRIALS = 64, MOST_SIZES = 8 };

typedef struct search {
    arguments args;
    suggest_flags flags;
    list_of_integers m, k;
    dltf_array *array;
    trial_data data;
    trial trials[MOST_TRIALS];
    int count, chosen; /* chosen: -1 before a trial was done */
    double begin;
    double spent, planned; /* weights of trials: finished; all that may follow */
    bool cut;              /* time ran out before all trials were done */
} search;

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

static int choose_sizes(search *s, int64_t rows) {
    int64_t n = s->data.n, most = rows / 10 > 2 ? rows / 10 : 2;
    int code = lists_read("m", s->flags.m, 1, &s->m);
    if (code == EXIT_OK)
        code = lists_read("k", s->flags.k, 1, &s->k);
    if (code != EXIT_OK)
        return code;
    if (s->m.count > MOST_SIZES || s->k.count > MOST_SIZES)
        return usage_error("more than %d sizes to try", MOST_SIZES);
    for (int64_t factor = 1; factor <= 4 && !s->flags.m; factor *= 2)
        add_size(&s->m, factor * n, 2, most);
    for (int64_t part = 16; part >= 4 && !s->flags.k; part /= 2)
        add_size(&s->k, n / part, 1, 60);
    qsort(s->m.values, (size_t)s->m.count, sizeof *s->m.values, compare_integers);
    qsort(s->k.values, (size_t)s->k.count, sizeof *s->k.values, compare_integers);
    if (s->k.values[0] > s->m.values[s->m.count - 1])
        return usage_error("--k: %lld is more than m = %lld atoms", (long long)s->k.values[0],
                           (long long)s->m.values[s->m.count - 1]);
    return EXIT_OK;
}

/* ---- Trials ---- */

static double left(const search *s) {
    return s->flags.seconds - (dltf_seconds() - s->begin);
}

/* Shows the progress of all trials as one bar, and stops a trial that exceeds the time by half. */
static int follow(void *context, const dltf_progress *progress) {
    search *s = context;
    const double fine = 1e6;
    double weight = trial_weight(&s->trials[s->count], s->data.n);
    double share = progress->total > 0 ? (double)progress->done / (double)progress->total : 0;
    double all = fmax(s->planned, s->spent + weight);
    dltf_progress whole = {.task = "trying",
                           .done = (int64_t)(fine * (s->spent + weight * share) / all),
                           .total = (int64_t)fine};
    return progress_step(NULL, &whole) || left(s) < -s->flags.seconds / 2;
}

/* Runs a trial if there is time. Returns an exit code; t->done says whether it was measured. */
static int try(search *s, trial t, trial **result) {
    const double share = 0.5; /* of the time left, at most, for one trial */
    *result = NULL;
    if (s->count == MOST_TRIALS || (left(s) <= 0 && s->count > 0)) {
        s->cut = true;
        return EXIT_OK;
    }
    t.seconds_limit = fmax(share * left(s), 0.1);
    s->trials[s->count] = t;
    trial *now = &s->trials[s->count];
    dltf_status status = trial_run(&s->data, now, follow, s);
    s->spent += trial_weight(now, s->data.n);
    if (status == DLTF_CANCELLED && !interrupted()) {
        s->cut = true;
        return EXIT_OK;
    }
    if (status != DLTF_OK) {
        progress_erase();
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = s->args.operands[0]});
    }
    s->count++;
    *result = now;
    return EXIT_OK;
}

/* Tries the current choice with another value and takes it if it lowers the error by the gain. */
static int try_instead(search *s, trial t, double gain) {
    trial *result = NULL;
    int code = try(s, t, &result);
    if (result &&
        (s->chosen < 0 || result->variance_error < (1 - gain) * s->trials[s->chosen].variance_error))
        s->chosen = (int)(result - s->trials);
    return code;
}

/* ---- The search ---- */

/* The usual sizes: the second of each list, or the largest k that is allowed. */
static trial usual_trial(const search *s) {
    int64_t m = s->m.values[s->m.count > 1 ? 1 : 0];
    int64_t k = s->k.values[s->k.count > 1 ? 1 : 0];
    return (trial){.m = m, .k = k < m ? k : m, .encoder = DLTF_ENCODER_LEARNED};
}

static int search_preprocessing(search *s) {
    trial t = usual_trial(s);
    int code = try_instead(s, t, 0);
    t.center = true;
    if (code == EXIT_OK)
        code = try_instead(s, t, GAIN_PREPROCESSING);
    /* The mean of a sample is one more number beside the k indices and values of its code. */
    double more = 1 / (2 * (double)t.k);
    t.center = false;
    t.remove_mean = true;
    if (code == EXIT_OK && s->data.n > 1)
        code = try_instead(s, t, fmax(GAIN_PREPROCESSING, more));
    return code;
}

/* The trial with this m and k and the preprocessing of the choice, tried if it was not yet. NULL if there is
 * no time. */
static int trial_of_sizes(search *s, int64_t m, int64_t k, trial **result) {
    trial t = s->trials[s->chosen];
    *result = NULL;
    for (int i = 0; i < s->count; i++) {
        trial *known = &s->trials[i];
        if (known->m == m && known->k == k && known->center == t.center &&
            known->remove_mean == t.remove_mean)
            *result = known;
    }
    if (*result || k > m)
        return EXIT_OK;
    t.m = m;
    t.k = k;
    return try(s, t, result);
}

/* Takes the next larger size as long as it lowers the error by the gain and most of its atoms are used. k
 * adds to the cost of every code, m only to that of the model: hence different gains. */
static int climb(search *s, const list_of_integers *sizes, bool is_k, double gain) {
    trial *best = NULL;
    int64_t m = s->trials[s->chosen].m, k = s->trials[s->chosen].k;
    bool climbing = true;
    for (int i = 0; i < sizes->count; i++) {
        trial *next = NULL;
        int code = trial_of_sizes(s, is_k ? m : sizes->values[i], is_k ? sizes->values[i] : k, &next);
        if (code != EXIT_OK)
            return code;
        if (!next)
            continue;
        bool better = !best || (next->variance_error < (1 - gain) * best->variance_error &&
                                next->unused_share < MOST_UNUSED);
        climbing = climbing && better;
        best = climbing ? next : best;
    }
    if (best)
        s->chosen = (int)(best - s->trials);
    return EXIT_OK;
}

static int search_encoder(search *s) {
    trial t = s->trials[s->chosen];
    int code = EXIT_OK;
    if (t.m <= 512) {
        t.encoder = DLTF_ENCODER_BEST;
        code = try_instead(s, t, GAIN_ENCODER);
        t.encoder = DLTF_ENCODER_TIED;
        if (code == EXIT_OK)
            code = try_instead(s, t, GAIN_ENCODER);
    }
    return code;
}

/* Weights of all trials, as if every list were tried at the usual preprocessing. */
static double plan(const search *s) {
    trial t = usual_trial(s);
    double sum = 3 * trial_weight(&t, s->data.n);
    for (int i = 0; i < s->m.count; i++) {
        trial other = t;
        other.m = s->m.values[i];
        sum += trial_weight(&other, s->data.n);
    }
    sum += (s->k.count - 2) * trial_weight(&t, s->data.n);
    t.encoder = DLTF_ENCODER_BEST;
    sum += trial_weight(&t, s->data.n);
    t.encoder = DLTF_ENCODER_TIED;
    return sum + trial_weight(&t, s->data.n);
}

static int run_search(search *s) {
    s->chosen = -1;
    s->begin = dltf_seconds();
    s->planned = plan(s);
    int code = search_preprocessing(s);
    if (code == EXIT_OK && s->chosen >= 0)
        code = climb(s, &s->k, true, GAIN_K);
    if (code == EXIT_OK && s->chosen >= 0)
        code = climb(s, &s->m, false, GAIN_M);
    if (code == EXIT_OK && s->chosen >= 0)
        code = search_encoder(s);
    progress_erase();
    if (code == EXIT_OK && s->chosen < 0)
        return failure("no trial finished in %g s: raise --seconds or lower --samples", s->flags.seconds);
    return code;
}

/* ---- Results ---- */

static const char *preprocessing_of(const trial *t) {
    return t->center ? "center" : t->remove_mean ? "remove-mean" : "none";
}

static const char *encoder_of(const trial *t) {
    return t->encoder == DLTF_ENCODER_LEARNED ? "learned" : t->encoder == DLTF_ENCODER_BEST ? "best" : "tied";
}

/* `best` is the default where it is tried. */
static void write_command(const search *s, char *text, size_t size) {
    const trial *t = &s->trials[s->chosen];
    bool is_default = t->encoder == (t->m <= 512 ? DLTF_ENCODER_BEST : DLTF_ENCODER_LEARNED);
    snprintf(text, size, "dltf train %s -m %lld -k %lld%s%s%s%s", files_quoted(s->args.operands[0]),
             (long long)t->m, (long long)t->k, t->remove_mean ? " --remove-mean" : "",
             t->center                         ? " --center"
             : t->encoder == DLTF_ENCODER_TIED ? ""
                                               : " --no-center",
             is_default ? "" : " --encoder ", is_default ? "" : encoder_of(t));
}

static json_t *row_of(const trial *t, bool chosen) {
    json_t *row = json_object();
    json_object_set_new(row, "preprocessing", json_string(preprocessing_of(t)));
    json_object_set_new(row, "m", json_integer(t->m));
    json_object_set_new(row, "k", json_integer(t->k));
    json_object_set_new(row, "encoder", json_string(encoder_of(t)));
    json_object_set_new(row, "raw_error", json_number(t->raw_error));
    json_object_set_new(row, "refit_error", json_number(t->refit_error));
    json_object_set_new(row, "variance_error", json_number(t->variance_error));
    json_object_set_new(row, "unused_share", json_number(t->unused_share));
    json_object_set_new(row, "code_microseconds", json_number(t->code_microseconds));
    json_object_set_new(row, "train_seconds", json_number(t->train_seconds));
    json_object_set_new(row, "chosen", json_boolean(chosen));
    return row;
}

static void print_table(const search *s) {
    printf("  %-13s %6s %4s  %-8s %7s %7s %9s %7s %9s %8s\n", "preprocessing", "m", "k", "encoder", "raw",
           "refit", "variance", "unused", "us/sample", "train s");
    for (int i = 0; i < s->count; i++) {
        const trial *t = &s->trials[i];
        printf("%c %-13s %6lld %4lld  %-8s %7.4f %7.4f %9.4f %6.1f%% %9.2f %8.2f\n",
               i == s->chosen ? '*' : ' ', preprocessing_of(t), (long long)t->m, (long long)t->k,
               encoder_of(t), t->raw_error, t->refit_error, t->variance_error, 100 * t->unused_share,
               t->code_microseconds, t->train_seconds);
    }
    printf("\nErrors on %s: raw and after refit, relative to the preprocessed samples; after refit, relative "
           "to the variance of the samples.\n",
           counted(s->trials[0].samples, "held-out sample"));
}

static void report(const search *s, bool json) {
    char line[1 << 14]; /* names of files may be long */
    write_command(s, line, sizeof line);
    if (json) {
        json_t *object = json_object(), *rows = json_array();
        for (int i = 0; i < s->count; i++)
            json_array_append_new(rows, row_of(&s->trials[i], i == s->chosen));
        json_object_set_new(object, "trials", rows);
        json_object_set_new(object, "samples", json_integer(s->data.N));
        json_object_set_new(object, "held_out", json_integer(s->trials[0].samples));
        json_object_set_new(object, "complete", json_boolean(!s->cut));
        json_object_set_new(object, "command", json_text(line));
        output_json(object);
        json_decref(object);
        return;
    }
    print_table(s);
    if (s->cut)
        remark("Out of time: some settings were not tried. Raise --seconds to try them.");
    printf("Suggested: %s\n", line);
}

static int load(search *s) {
    enum { MOST_VALUES = 1 << 25 }; /* 128 MiB of floats */
    int code = files_load_data(s->args.operands[0], &s->array);
    if (code != EXIT_OK)
        return code;
    dltf_matrix X = dltf_array_matrix(s->array);
    int64_t most = MOST_VALUES / (X.cols < MOST_VALUES ? X.cols : MOST_VALUES);
    most = most < s->flags.samples ? most : s->flags.samples;
    if (X.rows < 10)
        return failure("%s: %s: at least 10 are needed, to hold some out", s->args.operands[0],
                       counted(X.rows, "sample"));
    dltf_status status = trial_data_new(X, most > 10 ? most : 10, &s->data);
    if (status == DLTF_DATA)
        return failure(
            "%s: row %lld, column %lld is not a finite number in single precision (counting from 0): "
            "replace it, or rescale the data",
            s->args.operands[0], (long long)s->data.bad_row, (long long)s->data.bad_column);
    if (status != DLTF_OK)
        return library_failure(status);
    s->data.seed = s->flags.seed;
    s->data.threads = s->flags.threads;
    return choose_sizes(s, X.rows);
}

static int run(const command *self, int count, char **words) {
    static search s; /* large */
    if (!arguments_parse(self, count, words, &s.flags, NULL, &s.args))
        return s.args.exit_code;
    int code = load(&s);
    if (code == EXIT_OK)
        code = run_search(&s);
    if (code == EXIT_OK)
        report(&s, s.args.common.json);
    trial_data_free(&s.data);
    dltf_array_free(s.array);
    return code;
}

const command command_suggest = {
    .name = "suggest",
    .summary = "try sizes, preprocessing and encoders on data, and suggest how to train",
    .operands = "DATA",
    .details =
        "Trains small models on a part of DATA and measures their errors on samples held out from training. "
        "First the preprocessing is chosen (none, --center or --remove-mean), then k, then m, then the "
        "encoder. A costlier setting is chosen only if it lowers the error enough: subtracting means by "
        "5%, doubling k by 30%, more atoms by 5%, a slower encoder by 3%. Full training takes longer than "
        "the trials and reaches smaller errors. If the size of codes is limited, set k with -k.",
    .input = "DATA",
    .content = DLTF_CONTENT_MATRIX,
    .own = DLTF_OPTION_TABLE(own_options, suggest_flags),
    .json = "the trials with their errors and costs, which one was chosen, and the command",
    .examples = {"dltf suggest X.npy", "dltf suggest X.npy -k 16 -m 256,512,1024 --seconds 300", NULL},
    .run = run,
};
