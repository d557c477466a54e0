/* dltf classify train: trains a classifier. Errors in the request are reported before training starts.
 * Ctrl-C, SIGTERM and SIGHUP save a checkpoint; resuming it gives the same bytes as an uninterrupted run. */
#include "cli/arguments.h"
#include "cli/classifier.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "report/history.h"
#include "report/json.h"
#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "labels", .kind = DL_OPTION_TEXT, .offset = offsetof(classifier_flags, labels), .argument = "FILE", .help = "one integer per sample; the distinct ones are the classes"},
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(classifier_flags, output), .argument = "MODEL", .help = "output file (default: named after DATA, in the current directory)"},
    {.name = "init", .kind = DL_OPTION_TEXT, .offset = offsetof(classifier_flags, init), .argument = "NETWORK", .help = "start from a network: hidden layers of 'dltf pretrain', or a classifier of the same classes"},
    {.name = "hidden", .kind = DL_OPTION_TEXT, .offset = offsetof(classifier_flags, hidden), .argument = "LIST", .help = "units of each hidden layer, random at the start, as in 1000,500; 0: no hidden layer (default: 500)"},
    {.name = "keep", .kind = DL_OPTION_TEXT, .offset = offsetof(classifier_flags, keep), .argument = "LIST", .help = "outputs that each of these layers keeps, the largest; the others are set to 0 (default: all)"},
    {.name = "scale", .kind = DL_OPTION_REAL, .offset = offsetof(classifier_flags, scale), .default_text = "0", .max = 1e30, .argument = "S", .help = "factor on the samples, stored in the model; 0: 1 / largest magnitude, for sparse data 1 / root mean square"},
    {.name = "validation", .kind = DL_OPTION_TEXT, .offset = offsetof(classifier_flags, validation), .argument = "DATA", .help = "samples to measure the error on after every epoch, instead of --held-out"},
    {.name = "validation-labels", .kind = DL_OPTION_TEXT, .offset = offsetof(classifier_flags, validation_labels), .argument = "FILE", .help = "their labels"},
    {.name = "resume", .kind = DL_OPTION_TEXT, .offset = offsetof(classifier_flags, resume), .argument = "CHECKPOINT", .help = "resume interrupted training on the same DATA and labels"},
    {.name = "history", .kind = DL_OPTION_TEXT, .offset = offsetof(classifier_flags, history), .argument = "FILE.csv", .help = "write one row per epoch"},
    CHECKPOINTS_OPTION(classifier_flags, checkpoint_every),
};
/* clang-format on */

/* The options of training; the loss, the first row of their table, is given. */
static dl_option_table training_options(void) {
    dl_option_table table = dl_network_option_table();
    table.options++;
    table.count--;
    return table;
}

/* ---- Training ---- */

static int show_progress(void *context, const dltf_progress *progress) {
    classifier *c = context;
    int64_t count = 0;
    checkpoints_step(&c->checkpoints);
    const dl_epoch *history = dl_training_history(c->training, &count);
    char note[80] = "", error[32] = "";
    if (count > 0 && !isnan(history[count - 1].error))
        snprintf(error, sizeof error, "  error %.2f%%", 100 * history[count - 1].error);
    if (count > 0)
        snprintf(note, sizeof note, "epoch %lld  loss %.4f%s", (long long)count, history[count - 1].loss,
                 error);
    progress_note(note);
    return progress_step(NULL, progress);
}

static void release(classifier *c) {
    dl_reservation_free(c->space);
    c->space = NULL;
}

static dltf_status save_training(const void *training, const char *path) {
    return dl_training_save(training, path);
}

static int save_checkpoint(classifier *c) {
    const classifier_flags *f = &c->flags;
    int64_t count = 0;
    dl_training_history(c->training, &count);
    release(c);
    const char *checkpoint = files_save_anywhere(save_training, c->training, c->checkpoint);
    if (!checkpoint) {
        failure("interrupted; no checkpoint was saved");
        return interrupt_exit_code();
    }
    failure("interrupted after %s; to resume, run:", counted(count, "epoch"));
    checkpoints_print_command("dltf classify train", 1, (const char *const[]){c->data_path},
                              (checkpoints_word[]){{"--labels", f->labels},
                                                   {"--resume", checkpoint},
                                                   {"-o", c->output},
                                                   {"--validation", f->validation},
                                                   {"--validation-labels", f->validation_labels},
                                                   {"--history", f->history},
                                                   {NULL, NULL}});
    return interrupt_exit_code();
}

static int learn(classifier *c) {
    dltf_outcome outcome = DLTF_ITERATION_LIMIT;
    interrupt_catch_termination();
    double begin = dl_seconds();
    c->checkpoints = checkpoints_begin(save_training, c->training, c->checkpoint, c->flags.checkpoint_every);
    dltf_status status = dl_training_run(c->training, show_progress, c, &outcome);
    progress_erase();
    c->seconds = dl_seconds() - begin;
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = c->data_path});
    return outcome == DLTF_INTERRUPTED ? save_checkpoint(c) : EXIT_OK;
}

/* ---- Results ---- */

static json_t *history_of(const classifier *c) {
    int64_t count = 0;
    const dl_epoch *history = dl_training_history(c->training, &count);
    json_t *rows = json_array();
    for (int64_t e = 0; e < count; e++) {
        json_t *row = json_object();
        json_object_set_new(row, "epoch", json_integer(e + 1));
        json_object_set_new(row, "rate", json_number(history[e].rate));
        json_object_set_new(row, "loss", json_number(history[e].loss));
        json_object_set_new(row, "error", json_number(history[e].error));
        json_object_set_new(row, "seconds", json_number(history[e].seconds));
        json_array_append_new(rows, row);
    }
    return rows;
}

static int save(classifier *c) {
    release(c);
    if (files_save_anywhere(networks_save, dl_training_network(c->training), c->output) != c->output)
        return EXIT_FAILED;
    checkpoints_end(&c->checkpoints, c->flags.resume);
    if (!c->flags.history)
        return EXIT_OK;
    json_t *rows = history_of(c);
    char *text = rows_csv(rows);
    int code = files_save_text(c->flags.history, text);
    free(text);
    json_decref(rows);
    return code;
}

/* A loss near log(classes) is that of equal probabilities. */
static void doubt_loss(const classifier *c, const dl_epoch *history, int64_t count) {
    double chance = log((double)c->class_count);
    if (count > 0 && history[count - 1].loss > 0.95 * chance)
        remark(
            "the loss %.3g is hardly below that of guessing, %.3g: try a larger --scale, --rate or --epochs",
            history[count - 1].loss, chance);
}

static int print_report(classifier *c) {
    facts f = facts_new();
    const dl_network *network = dl_training_network(c->training);
    dl_network_options options = dl_training_options(c->training);
    int64_t count = 0;
    const dl_epoch *history = dl_training_history(c->training, &count);
    facts_integer(&f, "samples", "samples", dltf_array_matrix(c->data).rows);
    facts_integer(&f, "classes", "classes", c->class_count);
    networks_report_sizes(&f, network);
    facts_real(&f, "scale", "factor on samples", dl_network_scale(network));
    facts_integer(&f, "epochs", "epochs", count);
    if (count > 0)
        facts_real(&f, "loss", "loss", history[count - 1].loss);
    doubt_loss(c, history, count);
    if (count > 0 && !isnan(history[count - 1].error)) {
        facts_real(&f, "validation_error", NULL, history[count - 1].error);
        facts_line(&f, "validation error", "%.2f%%", 100 * history[count - 1].error);
    }
    facts_real(&f, "seconds", "seconds", c->seconds);
    facts_text(&f, "model", "model", c->output);
    facts_line(&f, "next", "dltf classify predict %s DATA", files_quoted(c->output));
    facts_json(&f, "options", history_options(training_options(), &options));
    facts_json(&f, "history", history_of(c));
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    classifier c = {.output = NULL};
    if (!arguments_parse(self, count, words, &c.flags, &c.options, &c.args))
        return c.args.exit_code;
    c.data_path = c.args.operands[0];
    int code = classifier_prepare(&c, training_options());
    if (code == EXIT_OK)
        code = networks_reserve(dl_training_network(c.training), c.output, &c.space);
    if (code == EXIT_OK)
        code = learn(&c);
    if (code == EXIT_OK)
        code = save(&c);
    if (code == EXIT_OK)
        code = print_report(&c);
    release(&c);
    classifier_free(&c);
    return code;
}

const command command_classify_train = {
    .name = "classify train",
    .summary = "train a classifier from labelled samples",
    .operands = "DATA",
    .details = "Trains a fully connected network with softmax to predict the labels of the samples (rows) of "
               "DATA. The "
               "classes are the distinct labels. Hidden layers are random at the start or those of a network "
               "of 'dltf "
               "pretrain'. The same seed gives the same file for any number of threads. Ctrl-C (or SIGTERM, "
               "SIGHUP) saves a "
               "checkpoint and prints the command to resume.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, classifier_flags),
    .library = training_options,
    .library_title = "Training",
    .json = "sizes, loss, validation error, all options and the history",
    .examples = {"dltf classify train X.npy --labels labels.csv --held-out 0.1 -o X.classifier.safetensors",
                 "dltf classify train train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --init "
                 "net.safetensors --dropout 0.5",
                 "dltf classify train X.npy --labels labels.csv --resume X.classifier.safetensors.checkpoint",
                 NULL},
    .run = run,
};
