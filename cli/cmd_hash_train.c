/* dltf hash train: learns a hasher from data. */
#include "cli/arguments.h"
#include "cli/checkpoints.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "report/history.h"

#include <stdlib.h>

typedef struct hash_train_flags {
    const char *output, *resume;
    double checkpoint_every;
} hash_train_flags;

typedef struct hash_training {
    arguments args;
    hash_train_flags flags;
    dltf_hash_options options;
    char *output, *checkpoint;
    checkpoints checkpoints;
    dltf_array *data;
    dltf_hasher *hasher;
    double seconds;
} hash_training;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(hash_train_flags, output), .argument = "HASHER", .help = "output file (default: named after DATA, in the current directory)"},
    {.name = "resume", .kind = DL_OPTION_TEXT, .offset = offsetof(hash_train_flags, resume), .argument = "CHECKPOINT", .help = "resume an interrupted training on the same DATA; the other options are those of the checkpoint"},
    CHECKPOINTS_OPTION(hash_train_flags, checkpoint_every),
};
/* clang-format on */

/* A checkpoint stores all options of training. */
static int check_options(const hash_training *t) {
    if (t->flags.resume)
        return EXIT_OK;
    if (!arguments_given(&t->args, "bits"))
        return usage_error("-m M is missing: give the number of bits of a code");
    if (t->options.bits % 8 != 0)
        return usage_error("--bits: %lld is not a multiple of 8", (long long)t->options.bits);
    return arguments_check(&t->args, dl_hash_option_table(), &t->options);
}

static int check(hash_training *t) {
    const char *data = t->args.operands[0];
    int code = checkpoints_check_resume(&t->args, t->flags.resume, dl_hash_option_table());
    if (code == EXIT_OK)
        code = check_options(t);
    if (code != EXIT_OK)
        return code;
    t->output =
        t->flags.output ? files_join(t->flags.output, "") : files_default_name(data, ".hasher.safetensors");
    t->checkpoint = t->output ? files_join(t->output, ".checkpoint") : NULL;
    if (!t->checkpoint)
        return EXIT_FAILED;
    return files_check(2, (const char *const[]){data, t->flags.resume}, 1, (const char *const[]){t->output});
}

static int load_data(hash_training *t) {
    return files_load_data(t->args.operands[0], &t->data);
}

static dltf_status save_hasher(const void *hasher, const char *path) {
    return dltf_hasher_save(hasher, path);
}

static int step(void *context, const dltf_progress *progress) {
    hash_training *t = context;
    int stop = progress_step(NULL, progress); /* first: a signal that it notices must be seen below */
    checkpoints_step_state(&t->checkpoints, progress);
    return stop;
}

static int interrupted_training(const hash_training *t) {
    return checkpoints_interrupted(
        &t->checkpoints, "dltf hash train", t->args.operands[0],
        (checkpoints_word[]){{"--resume", t->checkpoints.last}, {"-o", t->output}, {NULL, NULL}});
}

static int train(hash_training *t) {
    double begin = dl_seconds();
    interrupt_catch_termination();
    dltf_matrix X = dltf_array_matrix(t->data);
    t->checkpoints =
        checkpoints_begin(checkpoints_save_state, NULL, t->checkpoint, t->flags.checkpoint_every);
    dltf_status status = t->flags.resume
                             ? dltf_hasher_resume(t->flags.resume, X, t->options.threads, step, t, &t->hasher)
                             : dltf_hasher_train(X, &t->options, step, t, &t->hasher);
    t->seconds = dl_seconds() - begin;
    progress_erase();
    if (status == DLTF_CANCELLED)
        return interrupted_training(t);
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = t->args.operands[0]});
    if (files_save_anywhere(save_hasher, t->hasher, t->output) != t->output)
        return EXIT_FAILED;
    checkpoints_end(&t->checkpoints, t->flags.resume);
    return EXIT_OK;
}

static int print_report(hash_training *t) {
    dltf_matrix X = dltf_array_matrix(t->data);
    dltf_hasher_view view = dltf_hasher_get(t->hasher);
    facts f = facts_new();
    facts_text(&f, "method", "method", view.name);
    facts_integer(&f, "bits", "bits", view.bits);
    if (view.k > 0)
        facts_integer(&f, "k", "entries of a sparse code", view.k);
    facts_integer(&f, "samples", NULL, X.rows);
    facts_integer(&f, "columns", NULL, X.cols);
    facts_line(&f, "samples", "%lld of %lld columns", (long long)X.rows, (long long)X.cols);
    facts_real(&f, "seconds", "seconds", t->seconds);
    facts_text(&f, "hasher", "hasher", t->output);
    facts_line(&f, "next", "dltf hash encode %s %s", files_quoted(t->output),
               files_quoted(t->args.operands[0]));
    if (!t->flags.resume)
        facts_json(&f, "options", history_options(dl_hash_option_table(), &t->options));
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(hash_training *) = {check, load_data, train, print_report};
    hash_training t = {.output = NULL};
    if (!arguments_parse(self, count, words, &t.flags, &t.options, &t.args))
        return t.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&t);
    dltf_hasher_free(t.hasher);
    dltf_array_free(t.data);
    free(t.output);
    free(t.checkpoint);
    return code;
}

const command command_hash_train = {
    .name = "hash train",
    .summary = "learn a hasher: samples to binary codes",
    .operands = "DATA",
    .details =
        "Learns, from the samples (rows) of DATA, a map to codes of M bits such that nearby samples differ "
        "in few bits. The same seed gives the same file for any number of threads.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, hash_train_flags),
    .library = dl_hash_option_table,
    .library_title = "Hashing",
    .json = "method, sizes, time and all options",
    .examples = {"dltf hash train X.npy --method itq -m 64 -o X.hasher.safetensors",
                 "dltf hash train X.npy --method lsh -m 256", NULL},
    .run = run,
};
