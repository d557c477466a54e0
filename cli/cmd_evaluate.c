/* dltf evaluate: how well a model codes data, by the measures of sparse autoencoders. Data are streamed. */
#include "cli/arguments.h"
#include "cli/evaluation_facts.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <stdlib.h>

typedef struct evaluate_flags {
    bool raw;
} evaluate_flags;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "raw", .kind = DL_OPTION_FLAG, .offset = offsetof(evaluate_flags, raw), .default_text = "false", .help = "read DATA as raw rows: little-endian float32 without a header, as many columns as the model expects"},
};
/* clang-format on */

typedef struct evaluate_job {
    arguments args;
    evaluate_flags flags;
    dltf_encode_options encoding;
    dltf_model *model;
    dltf_reader *data;
    int64_t *uses;
    dltf_evaluation found;
    double seconds;
} evaluate_job;

static int open_files(evaluate_job *job) {
    const char *data = job->args.operands[1];
    int code = arguments_check(&job->args, dl_encode_option_table(), &job->encoding);
    if (code == EXIT_OK && job->encoding.no_error)
        code = usage_error("--no-error: the errors are what evaluate measures");
    if (code == EXIT_OK)
        code = files_load_model(job->args.operands[0], &job->model);
    if (code != EXIT_OK)
        return code;
    dltf_model_view model = dltf_model_get(job->model);
    job->uses = calloc((size_t)model.m, sizeof *job->uses);
    if (!job->uses)
        return failure("not enough memory for %s", counted(model.m, "atom"));
    return files_open_data(data, job->flags.raw ? model.n : 0, &job->data);
}

static int evaluate(evaluate_job *job) {
    const char *data = job->args.operands[1];
    double begin = dl_seconds();
    dltf_status status = dltf_evaluate_stream(job->model, job->data, &job->encoding, progress_step, NULL,
                                              job->uses, &job->found);
    progress_erase();
    job->seconds = dl_seconds() - begin;
    if (interrupted())
        return interrupted_exit();
    return status == DLTF_OK
               ? EXIT_OK
               : library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] =
                                                          files_is_standard(data) ? "standard input" : data});
}

/* ---- Report ---- */

static int print_report(evaluate_job *job) {
    const dltf_evaluation *e = &job->found;
    facts f = facts_new();
    facts_integer(&f, "samples", NULL, e->samples);
    facts_real(&f, "seconds", NULL, job->seconds);
    facts_line(&f, "samples", "%s in %.3g s", grouped(e->samples), job->seconds);
    evaluation_facts(&f, e, job->uses, dltf_model_get(job->model).m);
    output_facts(&f, false);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(evaluate_job *) = {open_files, evaluate, print_report};
    evaluate_job job = {.uses = NULL};
    if (!arguments_parse(self, count, words, &job.flags, &job.encoding, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_reader_free(job.data);
    dltf_model_free(job.model);
    free(job.uses);
    return code;
}

const command command_evaluate = {
    .name = "evaluate",
    .summary = "measure how well a model codes data",
    .operands = "MODEL DATA",
    .details =
        "Codes every sample (row) of DATA as 'dltf encode' does, writes nothing, and prints the measures by "
        "which sparse autoencoders are compared: explained variance, relative error, cosine similarity, "
        "norms, entries per code, the share of atoms in use and how often they are used. x' is as decoded "
        "and, for models that subtract it, plus the own mean of the sample; the explained variance is 0 if "
        "x' is the mean of DATA. Errors after refit are with least-squares values on the same supports; of "
        "more than 3,072 samples, evenly spread ones are refitted. DATA may be larger than memory. If DATA "
        "is -, "
        "reads standard input: a .npy in C order or, with --raw, rows of float32.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, evaluate_flags),
    .library = dl_encode_option_table,
    .library_title = "Encoding",
    .json = "the measures, under the names that they have for sparse autoencoders: explained_variance, mse, "
            "cossim, l0, l1, l2_ratio, relative_reconstruction_bias, frac_alive and others",
    .examples = {"dltf evaluate X.model.safetensors Xtest.npy",
                 "dltf evaluate X.model.safetensors Xtest.npy --json | jq .explained_variance", NULL},
    .run = run,
};
