/* dltf import: the sparse autoencoder of another program as a model. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"

#include <stdlib.h>

typedef struct import_flags {
    const char *output;
    double factor;
} import_flags;

typedef struct import_job {
    arguments args;
    import_flags flags;
    char *output;
    dltf_model *model;
} import_job;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(import_flags, output), .argument = "FILE", .help = "output file (default: FOLDER.model.safetensors)"},
    {.name = "factor", .kind = DL_OPTION_REAL, .offset = offsetof(import_flags, factor), .default_text = "0", .max = 1e30, .argument = "F", .help = "what samples are multiplied by, if cfg.json says expected_average_only_in and there is no activation_scaler.json; 0: unknown"},
};
/* clang-format on */

static int choose_files(import_job *job) {
    const char *folder = job->args.operands[0];
    job->output = job->flags.output ? files_join(job->flags.output, "")
                                    : files_default_name(folder, ".model.safetensors");
    if (!job->output)
        return EXIT_FAILED;
    return files_check(0, NULL, 1, (const char *const[]){job->output});
}

static int load(import_job *job) {
    dltf_status status = dltf_model_import(job->args.operands[0], job->flags.factor, &job->model);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int save(import_job *job) {
    dltf_status status = dltf_model_save(job->model, job->output);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int print_report(import_job *job) {
    dltf_model_view view = dltf_model_get(job->model);
    facts f = facts_new();
    facts_text(&f, "format", "format", dltf_model_note(job->model, "import.format"));
    facts_integer(&f, "m", "atoms", view.m);
    facts_integer(&f, "n", "entries of an atom", view.n);
    facts_text(&f, "selection", NULL, view.threshold ? "threshold" : "k");
    facts_integer(&f, "k", NULL, view.k);
    if (view.threshold)
        facts_line(&f, "entries of a code", "all scores above their thresholds");
    else
        facts_line(&f, "entries of a code", "%lld", (long long)view.k);
    facts_text(&f, "output", "model", job->output);
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(import_job *) = {choose_files, load, save, print_report};
    import_job job = {.model = NULL};
    if (!arguments_parse(self, count, words, &job.flags, NULL, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_model_free(job.model);
    free(job.output);
    return code;
}

const command command_import = {
    .name = "import",
    .summary = "make a model of a sparse autoencoder of another program",
    .operands = "FOLDER",
    .details =
        "Reads a sparse autoencoder of SAELens (cfg.json and sae_weights.safetensors; architectures "
        "standard, "
        "topk and jumprelu), of sparsify (cfg.json and sae.safetensors of a hookpoint) or of Gemma Scope "
        "(params.npz), and writes a model that computes the same codes. What a model cannot represent is "
        "rejected by name. Scripts in examples/ convert .pt files. See docs/formats.md.",
    .own = DL_OPTION_TABLE(own_options, import_flags),
    .json = "format, sizes, how scores are selected, and the file written",
    .examples = {"dltf import sae -o sae.model.safetensors",
                 "dltf import gpt2/h.7 -o h7.model.safetensors --factor 0.31", NULL},
    .run = run,
};
