/* dltf train: learns a dictionary from data. Errors in the request are reported before training starts.
 * Ctrl-C, SIGTERM and SIGHUP save a checkpoint; resuming it gives the same bytes as an uninterrupted run. */
#include "cli/checkpoints.h"
#include "cli/data_files.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/train.h"
#include "report/history.h"
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

/* State of one run of the command. */
typedef struct training {
    arguments args;
    train_flags flags;
    dltf_train_options options;
    const char *data_path; /* the first file */
    char *output, *checkpoint;
    dltf_array *data;
    dltf_model *start, *model;
    dltf_learner *learner;
    dl_reservation *space; /* on disk, for the model */
    checkpoints checkpoints;
    dltf_outcome outcome;
    double begin, seconds;
} training;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(train_flags, output), .argument = "MODEL", .help = "output file (default: named after DATA, in the current directory)"},
    {.name = "init", .kind = DL_OPTION_TEXT, .offset = offsetof(train_flags, init), .default_text = "samples", .choices = DL_INIT_CHOICES, .argument = "START", .help = DL_INIT_HELP ", or a model file to start from"},
    {.name = "select", .kind = DL_OPTION_CHOICE, .offset = offsetof(train_flags, select), .default_text = "abs", .choices = "abs|positive", .argument = "RULE", .help = DL_SELECT_HELP},
    {.name = "for", .kind = DL_OPTION_CHOICE, .offset = offsetof(train_flags, purpose), .default_text = "any", .choices = "any|threshold|omp", .argument = "CODER", .help = "the coder that will use the dictionary: threshold stands for --method dltf, omp for --method omp; any leaves it to the other options"},
    {.name = "resume", .kind = DL_OPTION_TEXT, .offset = offsetof(train_flags, resume), .argument = "CHECKPOINT", .help = "resume an interrupted training on the same DATA"},
    {.name = "history", .kind = DL_OPTION_TEXT, .offset = offsetof(train_flags, history), .argument = "FILE.csv", .help = "write one row per iteration"},
    CHECKPOINTS_OPTION(train_flags, checkpoint_every),
    {.name = "from-start", .kind = DL_OPTION_FLAG, .offset = offsetof(train_flags, from_start), .default_text = "false", .help = "with --resume and standard input: it begins with the samples that the checkpoint has seen, which are skipped"},
    {.name = "raw", .kind = DL_OPTION_INTEGER, .offset = offsetof(train_flags, raw_columns), .default_text = "0", .max = INT32_MAX, .argument = "COLUMNS", .help = "read DATA as raw rows: little-endian float32 without a header, this many columns; 0: files with a header"},
};
/* clang-format on */

/* ---- Setup ---- */

static int check_resume(training *t) {
    return train_check_resume(&t->args, &t->flags);
}

/* --for names a method by what it is for. */
static int check_purpose(training *t) {
    dltf_method method = t->flags.purpose == FOR_OMP ? DLTF_METHOD_OMP : DLTF_METHOD_DLTF;
    if (t->flags.purpose == FOR_ANY)
        return EXIT_OK;
    if (arguments_given(&t->args, "method") && t->options.method != method)
        return usage_error("--for and --method contradict each other: omit one");
    t->options.method = method;
    return EXIT_OK;
}

/* Options that apply only to some encoders select one if --encoder is not given. */
static int check_options(training *t) {
    const char *reason = NULL;
    char encoder[16];
    if (t->flags.from_start)
        return usage_error("--from-start applies to standard input only");
    if (t->flags.resume)
        return EXIT_OK;
    dltf_status status = dl_train_options_settle(&t->options, t->args.given, &reason);
    if (status != DLTF_OK)
        return library_failure(status);
    if (!reason)
        return EXIT_OK;
    const dl_option *option = dl_option_find(dl_train_option_table(), "encoder");
    dl_option_format(option, &t->options, encoder, sizeof encoder);
    remark("--%s implies --encoder %s", reason, encoder);
    return EXIT_OK;
}

static int choose_files(training *t) {
    int started = train_start(&t->args, &t->flags, &t->options, &t->start);
    if (started != EXIT_OK)
        return started;
    t->output = t->flags.output ? files_join(t->flags.output, "")
                                : files_default_name(t->data_path, ".model.safetensors");
    t->checkpoint = t->output ? files_join(t->output, ".checkpoint") : NULL;
    if (!t->checkpoint)
        return EXIT_FAILED;
    const char *inputs[] = {t->start ? t->flags.init : NULL, t->flags.resume};
    const char *outputs[] = {t->output, t->flags.history, t->checkpoint};
    /* The checkpoint being resumed may be replaced by a later one. */
    bool replaces = t->flags.resume && files_same(t->flags.resume, t->checkpoint);
    int code = files_check(2, inputs, replaces ? 2 : 3, outputs);
    if (code == EXIT_OK)
        code = files_check(t->args.operand_count, (const char *const *)t->args.list, 3, outputs);
    return code;
}

static int load_data(training *t) {
    return data_files_open(t->args.list, t->args.operand_count, t->options.memory, t->flags.raw_columns,
                           &t->data);
}

static int create_learner(training *t) {
    dltf_matrix X = dltf_array_matrix(t->data);
    t->begin = dl_seconds();
    progress_begin("checking the samples");
    dltf_status status = t->flags.resume
                             ? dltf_learner_resume(t->flags.resume, X, t->options.threads, &t->learner)
                             : dltf_learner_new(X, t->start, &t->options, &t->learner);
    progress_erase();
    if (status != DLTF_OK)
        return library_failure_in(
            status, (sources){[DLTF_SUBJECT_DATA] = t->data_path, [DLTF_SUBJECT_MODEL] = t->flags.init});
    t->options = dltf_learner_options(t->learner);
    remark("%slearning m = %s of n = %s, k = %lld, from N = %s (seed %lld, %s)",
           t->flags.resume ? "resuming: " : "", counted(t->options.m, "atom"), counted(X.cols, "entry"),
           (long long)t->options.k, counted(X.rows, "sample"), (long long)t->options.seed,
           t->options.threads > 0 ? counted(t->options.threads, "thread") : "all cores");
    return EXIT_OK;
}

static int reserve(training *t) {
    if (dltf_rank() > 0)
        return EXIT_OK;
    dltf_matrix X = dltf_array_matrix(t->data);
    int64_t values = 2 * t->options.m * X.cols + t->options.m + X.cols; /* dictionary, encoder, bias, mean */
    return files_reserve(t->output, values, &t->space);
}

static void release(training *t) {
    dl_reservation_free(t->space);
    t->space = NULL;
}

/* ---- Training ---- */

static dltf_status save_learner(const void *learner, const char *path) {
    return dltf_learner_save(learner, path);
}

/* "200 minibatch steps, 9,000 samples seen"; empty before the end of the first iteration. Iterations of stage
 * gradient are samples to users. */
static void count_done(const training *t, char *text, size_t size) {
    int64_t count = 0, seen = dl_learner_samples_seen(t->learner);
    const dltf_iteration *history = dl_learner_history(t->learner, &count);
    train_count_iterations(history, count, text, size);
    size_t used = strlen(text);
    if (seen > 0)
        snprintf(text + used, size - used, "%s%s samples seen", used > 0 ? ", " : "", grouped(seen));
}

static int save_checkpoint(training *t) {
    char done[240];
    count_done(t, done, sizeof done);
    release(t);
    const char *checkpoint = checkpoints_save_last(&t->checkpoints);
    if (!checkpoint) {
        failure("interrupted; no checkpoint was saved");
        return interrupt_exit_code();
    }
    failure("interrupted%s%s; to resume, run:", *done ? " after " : "", done);
    char raw[24], memory[24];
    snprintf(raw, sizeof raw, "%lld", (long long)t->flags.raw_columns);
    snprintf(memory, sizeof memory, "%lld", (long long)t->options.memory);
    checkpoints_print_command("dltf train", t->args.operand_count, (const char *const *)t->args.list,
                              (checkpoints_word[]){{"--raw", t->flags.raw_columns > 0 ? raw : NULL},
                                                   {"--memory", t->options.memory > 0 ? memory : NULL},
                                                   {"--resume", checkpoint},
                                                   {"-o", t->output},
                                                   {"--history", t->flags.history},
                                                   {NULL, NULL}});
    return interrupt_exit_code();
}

static int step(void *context, const dltf_progress *progress) {
    training *t = context;
    checkpoints_step(&t->checkpoints);
    return progress_step(NULL, progress);
}

static int learn(training *t) {
    interrupt_catch_termination();
    t->checkpoints = checkpoints_begin(save_learner, t->learner, t->checkpoint, t->flags.checkpoint_every);
    dltf_status status = dltf_learner_run(t->learner, step, t, &t->outcome);
    progress_erase();
    t->seconds = dl_seconds() - t->begin;
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = t->data_path});
    if (t->outcome == DLTF_INTERRUPTED)
        return save_checkpoint(t);
    return EXIT_OK;
}

/* ---- Results ---- */

static dltf_status save_model(const void *model, const char *path) {
    return dltf_model_save(model, path);
}

static int save_whole(training *t) {
    if (dltf_rank() > 0)
        return EXIT_OK;
    dltf_status status = dltf_learner_model(t->learner, &t->model);
    if (status != DLTF_OK)
        return library_failure(status);
    release(t);
    return files_save_anywhere(save_model, t->model, t->output) == t->output ? EXIT_OK : EXIT_FAILED;
}

/* Ranks that share the atoms write the model together. */
static int save_parts(training *t) {
    release(t);
    dltf_status status = dl_learner_save_model(t->learner, t->output);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int save(training *t) {
    int saved = dl_learner_is_shared(t->learner) ? save_parts(t) : save_whole(t);
    if (saved != EXIT_OK || dltf_rank() > 0)
        return saved;
    checkpoints_end(&t->checkpoints, t->flags.resume);
    if (!t->flags.history)
        return EXIT_OK;
    int64_t count = 0;
    const dltf_iteration *history = dl_learner_history(t->learner, &count);
    json_t *rows = history_rows(history, count);
    char *text = rows_csv(rows);
    int code = files_save_text(t->flags.history, text);
    free(text);
    json_decref(rows);
    return code;
}

static int print_report(training *t) {
    if (dltf_rank() > 0 && !dl_learner_is_shared(t->learner))
        return EXIT_OK;
    interrupt_at_once(); /* the results are saved */
    return train_report(&(train_result){.learner = t->learner,
                                        .model = t->model,
                                        .options = t->options,
                                        .data = dltf_array_matrix(t->data),
                                        .data_path = t->data_path,
                                        .output = t->output,
                                        .outcome = t->outcome,
                                        .seconds = t->seconds});
}

static bool reads_input(const training *t) {
    for (int i = 0; i < t->args.operand_count; i++)
        if (files_is_standard(t->args.list[i]))
            return true;
    return false;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(training *) = {check_resume, check_purpose,  check_options, choose_files,
                                               load_data,    create_learner, reserve,       learn,
                                               save,         print_report};
    training t = {.output = NULL};
    if (!arguments_parse(self, count, words, &t.flags, &t.options, &t.args))
        return t.args.exit_code;
    t.data_path = t.args.list[0];
    int code = EXIT_OK;
    if (reads_input(&t)) {
        code = check_resume(&t);
        code = code == EXIT_OK ? check_purpose(&t) : code;
        return code == EXIT_OK ? train_stream(&t.args, &t.flags, &t.options) : code;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&t);
    release(&t);
    dltf_learner_free(t.learner);
    dltf_model_free(t.model);
    dltf_model_free(t.start);
    dltf_array_free(t.data);
    free(t.output);
    free(t.checkpoint);
    return code;
}

const command command_train = {
    .name = "train",
    .summary = "learn a dictionary from data",
    .operands = "DATA...",
    .details =
        "Learns m unit-norm atoms from the samples (rows) of DATA, one file or several. The k largest scores "
        "of a sample then "
        "identify the atoms it is composed of. Scores are computed by an encoder or, with "
        "--encoder tied, by the dictionary itself, which is then optimised for this as in the paper. By "
        "default a tenth of the samples (at most 2,000) is held out to choose between two encoders. The same "
        "seed gives the same file for any number of threads. DATA '-' is standard input, a .npy or, with "
        "--raw, rows of float32, of any length: it is read once, and the encoder is learned. Ctrl-C (or "
        "SIGTERM, SIGHUP) saves a checkpoint and prints the command to resume.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, train_flags),
    .library = dl_train_option_table,
    .library_title = "Learning",
    .ranks = true,
    .json = "outcome, properties of the dictionary, all options and the history",
    .examples = {"dltf train X.npy -m 128 -k 8 -o X.model.safetensors",
                 "dltf train train-images-idx3-ubyte.gz -m 256 -k 16 --unit-norm --history learning.csv",
                 "dltf train X.npy -m 128 -k 8 --encoder tied -o X.tied.safetensors",
                 "dltf train X.npy -m 128 -k 8 --method ksvd --iterations 60 -o X.ksvd.safetensors",
                 "dltf train part-*.npy -m 512 -k 16 --memory 2G -o X.model.safetensors",
                 "producer | dltf train - --raw 64 -m 512 -k 16 -o X.model.safetensors",
                 "dltf train X.npy --resume X.model.safetensors.checkpoint -o X.model.safetensors", NULL},
    .run = run,
};
