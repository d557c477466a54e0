/* dltf classify evaluate: error rate and confusion matrix of a classifier. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/networks.h"
#include "cli/output.h"
#include "report/rows.h"

#include <stdlib.h>

typedef struct evaluate_flags {
    const char *labels;
    int64_t threads;
} evaluate_flags;

typedef struct evaluation {
    arguments args;
    evaluate_flags flags;
    const char *model_path, *data_path;
    dl_network *network;
    dltf_array *data;
    dltf_labels *labels;
    int64_t *counts; /* confusion matrix */
    double seconds;
} evaluation;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "labels", .kind = DL_OPTION_TEXT, .offset = offsetof(evaluate_flags, labels), .argument = "FILE", .help = "true labels, one integer per sample"},
    DL_THREADS_OPTION(evaluate_flags, threads),
};
/* clang-format on */

static int load(evaluation *e) {
    if (!e->flags.labels)
        return usage_error("--labels FILE is missing: give the true labels");
    int code = networks_load_classifier(e->model_path, &e->network);
    if (code == EXIT_OK)
        code = files_load_data(e->data_path, &e->data);
    if (code == EXIT_OK)
        code =
            networks_load_labels(e->flags.labels, e->data_path, dltf_array_matrix(e->data).rows, &e->labels);
    return code;
}

static int evaluate(evaluation *e) {
    int64_t classes = networks_outputs(e->network), count = 0;
    const int64_t *labels = dltf_labels_get(e->labels, &count);
    e->counts = calloc((size_t)classes, (size_t)classes * sizeof *e->counts);
    if (!e->counts)
        return failure("not enough memory for the confusion matrix of %lld classes", (long long)classes);
    double begin = dl_seconds();
    dltf_status status =
        dl_network_confusion(e->network, dltf_array_matrix(e->data), labels, e->flags.threads, e->counts);
    e->seconds = dl_seconds() - begin;
    if (status != DLTF_OK)
        return library_failure_in(
            status, (sources){[DLTF_SUBJECT_DATA] = e->data_path, [DLTF_SUBJECT_LABELS] = e->flags.labels});
    return EXIT_OK;
}

/* ---- The report ---- */

static int64_t count_errors(const evaluation *e) {
    int64_t classes = networks_outputs(e->network), errors = 0;
    for (int64_t i = 0; i < classes * classes; i++)
        errors += i / classes != i % classes ? e->counts[i] : 0;
    return errors;
}

static void report_matrix(const evaluation *e, facts *f) {
    int64_t classes = networks_outputs(e->network);
    json_t *labels = json_array(), *matrix = json_array();
    for (int64_t i = 0; i < classes; i++) {
        json_t *row = json_array();
        for (int64_t j = 0; j < classes; j++)
            json_array_append_new(row, json_integer(e->counts[i * classes + j]));
        json_array_append_new(matrix, row);
        json_array_append_new(labels, json_integer(dl_network_classes(e->network)[i]));
    }
    facts_json(f, "classes", labels);
    facts_json(f, "confusion", matrix);
}

/* Rows are true labels, columns predictions. */
static void print_matrix(const evaluation *e) {
    int64_t classes = networks_outputs(e->network);
    const int64_t *labels = dl_network_classes(e->network);
    if (classes >= ROWS_MAX_COLUMNS) {
        remark("the confusion matrix of %lld classes is printed with --json only", (long long)classes);
        return;
    }
    json_t *rows = json_array();
    for (int64_t i = 0; i < classes; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "true\\predicted", json_integer(labels[i]));
        for (int64_t j = 0; j < classes; j++) {
            char name[32];
            snprintf(name, sizeof name, "%lld", (long long)labels[j]);
            json_object_set_new(row, name, json_integer(e->counts[i * classes + j]));
        }
        json_array_append_new(rows, row);
    }
    output_rows(rows);
    json_decref(rows);
}

static int print_report(evaluation *e) {
    facts f = facts_new();
    int64_t samples = dltf_array_matrix(e->data).rows, errors = count_errors(e);
    double rate = (double)errors / (double)samples;
    facts_integer(&f, "samples", "samples", samples);
    facts_integer(&f, "errors", "errors", errors);
    facts_real(&f, "error_rate", NULL, rate);
    facts_line(&f, "error rate", "%.2f%%", 100 * rate);
    facts_real(&f, "seconds", "seconds", e->seconds);
    report_matrix(e, &f);
    output_facts(&f, false);
    if (!e->args.common.json)
        print_matrix(e);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(evaluation *) = {load, evaluate, print_report};
    evaluation e = {.network = NULL};
    if (!arguments_parse(self, count, words, &e.flags, NULL, &e.args))
        return e.args.exit_code;
    e.model_path = e.args.operands[0];
    e.data_path = e.args.operands[1];
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&e);
    dl_network_free(e.network);
    dltf_array_free(e.data);
    dltf_labels_free(e.labels);
    free(e.counts);
    return code;
}

const command command_classify_evaluate = {
    .name = "classify evaluate",
    .summary = "count the errors of a classifier",
    .operands = "MODEL DATA",
    .details =
        "Classifies the samples (rows) of DATA and compares with their true labels: error rate, and the "
        "confusion matrix, which counts samples by true label (row) and prediction (column).",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, evaluate_flags),
    .json = "samples, errors, error rate, classes and confusion matrix",
    .examples = {"dltf classify evaluate classifier.safetensors Xtest.npy --labels labels-test.npy", NULL},
    .run = run,
};
