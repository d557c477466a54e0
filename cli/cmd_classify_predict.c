/* dltf classify predict: the labels of samples. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/networks.h"
#include "cli/output.h"

#include <stdlib.h>

typedef struct predict_flags {
    const char *output, *probabilities;
    int64_t threads;
} predict_flags;

typedef struct prediction {
    arguments args;
    predict_flags flags;
    const char *model_path, *data_path;
    char *output;
    dl_network *network;
    dltf_array *data;
    int64_t *labels;
    float *probabilities;
    double seconds;
} prediction;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(predict_flags, output), .argument = "FILE", .help = "write the label of each sample, as .npy or .csv (default: named after DATA, in the current directory)"},
    {.name = "probabilities", .kind = DL_OPTION_TEXT, .offset = offsetof(predict_flags, probabilities), .argument = "FILE", .help = "also write the probability of each class, one row per sample, as .npy or .csv"},
    DL_THREADS_OPTION(predict_flags, threads),
};
/* clang-format on */

static int check_files(prediction *p) {
    p->output =
        p->flags.output ? files_join(p->flags.output, "") : files_default_name(p->data_path, ".labels.npy");
    if (!p->output)
        return EXIT_FAILED;
    const char *inputs[] = {p->model_path, p->data_path}, *outputs[] = {p->output, p->flags.probabilities};
    int code = files_check(2, inputs, 2, outputs);
    if (code == EXIT_OK)
        code = files_check_matrix("labels", p->output);
    if (code == EXIT_OK)
        code = files_check_matrix("probabilities", p->flags.probabilities);
    return code;
}

static int load(prediction *p) {
    int code = networks_load_classifier(p->model_path, &p->network);
    return code == EXIT_OK ? files_load_data(p->data_path, &p->data) : code;
}

static int predict(prediction *p) {
    dltf_matrix X = dltf_array_matrix(p->data);
    int64_t classes = networks_outputs(p->network);
    p->labels = calloc((size_t)X.rows, sizeof *p->labels);
    if (p->flags.probabilities)
        p->probabilities = calloc((size_t)X.rows, (size_t)classes * sizeof *p->probabilities);
    if (!p->labels || (p->flags.probabilities && !p->probabilities))
        return failure("not enough memory for the labels of %s", counted(X.rows, "sample"));
    double begin = dl_seconds();
    dltf_status status = dl_network_predict(p->network, X, p->flags.threads, p->labels, p->probabilities);
    p->seconds = dl_seconds() - begin;
    if (status == DLTF_OK)
        status = dltf_labels_save(p->labels, X.rows, p->output);
    if (status == DLTF_OK && p->flags.probabilities)
        status = dltf_matrix_save(dltf_matrix_f32(p->probabilities, X.rows, classes), p->flags.probabilities);
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = p->data_path});
    return EXIT_OK;
}

static int print_report(prediction *p) {
    facts f = facts_new();
    facts_integer(&f, "samples", "samples", dltf_array_matrix(p->data).rows);
    facts_integer(&f, "classes", "classes", networks_outputs(p->network));
    facts_real(&f, "seconds", "seconds", p->seconds);
    facts_text(&f, "output", "labels", p->output);
    if (p->flags.probabilities)
        facts_text(&f, "probabilities", "probabilities", p->flags.probabilities);
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(prediction *) = {check_files, load, predict, print_report};
    prediction p = {.output = NULL};
    if (!arguments_parse(self, count, words, &p.flags, NULL, &p.args))
        return p.args.exit_code;
    p.model_path = p.args.operands[0];
    p.data_path = p.args.operands[1];
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&p);
    dl_network_free(p.network);
    dltf_array_free(p.data);
    free(p.labels);
    free(p.probabilities);
    free(p.output);
    return code;
}

const command command_classify_predict = {
    .name = "classify predict",
    .summary = "predict the labels of samples",
    .operands = "MODEL DATA",
    .details = "Writes the label of the most probable class of each sample (row) of DATA, according to a "
               "classifier from 'dltf classify train'. Samples are scaled like those it was trained on.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, predict_flags),
    .json = "number of samples and classes, time and files",
    .examples = {"dltf classify predict classifier.safetensors Xtest.npy -o labels.npy",
                 "dltf classify predict classifier.safetensors Xtest.npy --probabilities p.npy", NULL},
    .run = run,
};
