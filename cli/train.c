/* What training on files and training on standard input share. */
#include "cli/train.h"

#include "cli/files.h"
#include "cli/output.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* A checkpoint stores all training options: only a few others may be combined with --resume. */
int train_check_resume(const arguments *args, const train_flags *flags) {
    static const char *const allowed[] = {"output", "resume",     "history", "raw",
                                          "memory", "from-start", "threads", "checkpoint-every",
                                          "json",   "quiet",      NULL};
    for (int i = 0; flags->resume && i < args->given_count; i++)
        if (!is_one_of(args->given[i], allowed))
            return usage_error("--%s cannot be combined with --resume: the checkpoint stores all options",
                               args->given[i]);
    return EXIT_OK;
}

/* An imported model is trained further as what it is, unless options say otherwise. */
static void follow_import(const arguments *args, const dltf_model *start, dltf_train_options *options) {
    if (!dltf_model_note(start, "import.format"))
        return;
    if (!arguments_given(args, "select"))
        options->select = DLTF_SELECT_POSITIVE;
    if (options->encoder == DLTF_ENCODER_AUTO && options->method == DLTF_METHOD_DLTF)
        options->encoder = DLTF_ENCODER_LEARNED;
    if (!arguments_given(args, "unit-norm"))
        options->unit_norm = dltf_model_get(start).unit_norm;
    remark("--init names an imported model: --encoder learned, --select positive%s unless given otherwise",
           dltf_model_get(start).unit_norm ? " and --unit-norm" : "");
}

int train_start(const arguments *args, const train_flags *flags, dltf_train_options *options,
                dltf_model **start) {
    const char *init = flags->init;
    options->select = flags->select == SELECT_POSITIVE ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
    /* One of the library's choices, or else a file. */
    if (dl_option_set(dl_train_option_table(), options, "init", init) == DLTF_OK)
        return EXIT_OK;
    if (access(init, F_OK) != 0)
        return usage_error("--init %s: file not found; expected 'samples', 'gaussian' or a model file", init);
    int code = files_load_model(init, start);
    if (code == EXIT_OK)
        follow_import(args, *start, options);
    return code;
}

void train_report_center(facts *f, const char *choice) {
    if (!choice || !*choice)
        return;
    facts_text(f, "center_choice", NULL, choice);
    if (strncmp(choice, "not ", strlen("not ")) !=
        0) /* "centered: ..."; "centred" in checkpoints before 0.3 */
        facts_line(f, "preprocessing", "%s; --no-center leaves it", choice);
}

int64_t train_peak_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * 1024 : 0; /* Linux counts in KB */
}

static const char *noun_of(const char *stage) {
    static const char *const nouns[][2] = {
        {"minibatch", "minibatch step"}, {"tied", "tied iteration"}, {"admm", "ADMM iteration"},
        {"polish", "polish iteration"},  {"encoder", "encoder fit"}, {"finetune", "fine-tuning round"},
        {"ksvd", "K-SVD iteration"},     {"gradient", NULL},
    };
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strcmp(stage, nouns[i][0]) == 0)
            return nouns[i][1];
    return stage;
}

void train_count_iterations(const dltf_iteration *history, int64_t count, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (int64_t i = 0, first = 0; i < count && used < size; i++) {
        const char *noun = noun_of(history[i].stage);
        bool last = i + 1 == count || strcmp(history[i + 1].stage, history[i].stage) != 0;
        if (!last)
            continue;
        if (noun)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     counted(i + 1 - first, noun));
        first = i + 1;
    }
}
