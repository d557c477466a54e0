/* From the request of `dltf classify train` to a training that is ready to run. */
#include "cli/classifier.h"

#include "cli/files.h"
#include "cli/output.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char HIDDEN_DEFAULT[] = "500";

/* ---- The request ---- */

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* A checkpoint stores network and options: only a few others may be combined with --resume. */
static int check_resume(const classifier *c) {
    static const char *const allowed[] = {"labels", "output",           "validation", "validation-labels",
                                          "resume", "history",          "threads",    "json",
                                          "quiet",  "checkpoint-every", NULL};
    for (int i = 0; c->flags.resume && i < c->args.given_count; i++)
        if (!is_one_of(c->args.given[i], allowed))
            return usage_error("--%s cannot be combined with --resume: the checkpoint stores all options",
                               c->args.given[i]);
    return EXIT_OK;
}

static int check_flags(const classifier *c) {
    const classifier_flags *f = &c->flags;
    if (!f->labels)
        return usage_error("--labels FILE is missing: give one label per sample");
    if (!f->validation != !f->validation_labels)
        return usage_error("--validation DATA and --validation-labels FILE belong together");
    if (f->validation && c->options.held_out > 0)
        return usage_error("--validation and --held-out exclude each other");
    if (f->init && (f->hidden || f->keep || f->scale > 0))
        return usage_error("--%s cannot be combined with --init: the network has it", f->hidden ? "hidden"
                                                                                      : f->keep ? "keep"
                                                                                                : "scale");
    return check_resume(c);
}

/* "0" stands for no layer. */
static int read_sizes(classifier *c) {
    const char *hidden = c->flags.hidden ? c->flags.hidden : HIDDEN_DEFAULT;
    int code = strcmp(hidden, "0") == 0 ? EXIT_OK : lists_read("hidden", hidden, 1, &c->hidden);
    if (code == EXIT_OK)
        code = lists_read("keep", c->flags.keep, 1, &c->keep);
    if (code == EXIT_OK && c->flags.keep)
        code = lists_fit("keep", c->hidden.count, &c->keep);
    return code;
}

static int check_files(classifier *c) {
    const classifier_flags *f = &c->flags;
    c->output =
        f->output ? files_join(f->output, "") : files_default_name(c->data_path, ".classifier.safetensors");
    c->checkpoint = c->output ? files_join(c->output, ".checkpoint") : NULL;
    if (!c->checkpoint)
        return EXIT_FAILED;
    const char *inputs[] = {c->data_path, f->labels, f->init, f->validation, f->validation_labels, f->resume};
    const char *outputs[] = {c->output, f->history, c->checkpoint};
    /* The checkpoint being resumed may be replaced by a later one. */
    bool replaces = f->resume && files_same(f->resume, c->checkpoint);
    return files_check(6, inputs, replaces ? 2 : 3, outputs);
}

/* ---- Data ---- */

static int out_of_memory(void) {
    return failure("not enough memory for the labels");
}

static int find_classes(classifier *c) {
    int64_t count = 0;
    const int64_t *labels = dltf_labels_get(c->labels, &count);
    c->classes = calloc((size_t)count, sizeof *c->classes);
    c->numbers = calloc((size_t)count, sizeof *c->numbers);
    if (!c->classes || !c->numbers)
        return out_of_memory();
    c->class_count = dl_classes_find(labels, count, c->classes);
    if (c->class_count < 2)
        return failure("%s: all labels are %lld: a classifier needs at least two classes", c->flags.labels,
                       (long long)labels[0]);
    dl_classes_number(labels, count, c->classes, c->class_count, c->numbers);
    return EXIT_OK;
}

static int load_data(classifier *c) {
    int code = files_load_data(c->data_path, &c->data);
    if (code == EXIT_OK)
        code =
            networks_load_labels(c->flags.labels, c->data_path, dltf_array_matrix(c->data).rows, &c->labels);
    return code == EXIT_OK ? find_classes(c) : code;
}

static int load_validation(classifier *c) {
    const classifier_flags *f = &c->flags;
    if (!f->validation)
        return EXIT_OK;
    int code = files_load_data(f->validation, &c->validation);
    if (code == EXIT_OK)
        code = networks_load_labels(f->validation_labels, f->validation,
                                    dltf_array_matrix(c->validation).rows, &c->validation_labels);
    if (code != EXIT_OK)
        return code;
    int64_t count = 0;
    const int64_t *labels = dltf_labels_get(c->validation_labels, &count);
    c->validation_numbers = calloc((size_t)count, sizeof *c->validation_numbers);
    if (!c->validation_numbers)
        return out_of_memory();
    dltf_status status = dl_classes_number(labels, count, c->classes, c->class_count, c->validation_numbers);
    return status == DLTF_OK
               ? EXIT_OK
               : library_failure_in(status, (sources){[DLTF_SUBJECT_LABELS] = f->validation_labels});
}

/* The largest magnitude of dense data. The root mean square of sparse data: the largest entry of sparse codes
 * is far from the others, and dividing by it makes the inputs so small that training hardly moves. */
static dltf_status find_size(dltf_matrix X, double *size) {
    float *row = calloc((size_t)X.cols, sizeof *row), largest = 0;
    double squares = 0;
    if (!row)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < X.rows; i++) {
        dltf_matrix_row(X, i, row);
        for (int64_t j = 0; j < X.cols; j++) {
            largest = fmaxf(largest, fabsf(row[j]));
            squares += (double)row[j] * (double)row[j];
        }
    }
    free(row);
    *size = X.type == DLTF_SPARSE ? sqrt(squares / (double)X.rows / (double)X.cols) : (double)largest;
    return DLTF_OK;
}

/* 1 / size, as far as a float can be; 1 if all values are 0 or one is infinite, which training will report.
 */
static dltf_status find_scale(dltf_matrix X, double *scale) {
    double size = 0;
    dltf_status status = find_size(X, &size);
    *scale = size > 0 && isfinite(size) ? fmin(1 / size, (double)FLT_MAX) : 1;
    return status;
}

/* ---- The network ---- */

/* Layers of the network to train: those of --init or --hidden, and the output layer. */
static int list_layers(const classifier *c, dl_layer_view *layers) {
    int count = c->start ? (int)dl_network_layers(c->start) : c->hidden.count;
    int64_t inputs = dltf_array_matrix(c->data).cols;
    for (int l = 0; l < count; l++) {
        layers[l] = c->start ? dl_network_layer(c->start, l)
                             : (dl_layer_view){.inputs = inputs,
                                               .outputs = c->hidden.values[l],
                                               .activation = DL_ACTIVATION_RELU,
                                               .k = c->keep.count > 0 ? c->keep.values[l] : 0};
        inputs = layers[l].outputs;
    }
    bool complete = c->start && dl_network_classes(c->start);
    if (!complete)
        layers[count++] = (dl_layer_view){.inputs = inputs, .outputs = c->class_count};
    return count;
}

/* A classifier to continue with must have the classes of the labels. */
static int check_start(const classifier *c) {
    const int64_t *classes = c->start ? dl_network_classes(c->start) : NULL;
    if (!classes)
        return EXIT_OK;
    if (networks_outputs(c->start) != c->class_count ||
        memcmp(classes, c->classes, (size_t)c->class_count * sizeof *classes) != 0)
        return failure("%s: its classes are not the labels of %s", c->flags.init, c->flags.labels);
    return EXIT_OK;
}

static dltf_status make_network(const classifier *c, dl_network **network) {
    dl_layer_view layers[128];
    int count = list_layers(c, layers);
    double scale = c->start ? dl_network_scale(c->start) : c->flags.scale;
    dltf_status status = dl_network_new(layers, count, c->options.seed, network);
    if (status == DLTF_OK && scale <= 0)
        status = find_scale(dltf_array_matrix(c->data), &scale);
    if (status == DLTF_OK)
        status = dl_network_set_scale(*network, scale);
    if (status == DLTF_OK)
        status = dl_network_set_classes(*network, c->classes);
    return status;
}

static dltf_status make_training(classifier *c) {
    dltf_matrix X = dltf_array_matrix(c->data);
    dl_targets targets = {.labels = c->numbers};
    dl_network *network = NULL;
    if (c->flags.resume)
        return dl_training_resume(c->flags.resume, X, targets, c->options.threads, &c->training);
    c->options.loss = DL_LOSS_SOFTMAX;
    dltf_status status = make_network(c, &network);
    if (status == DLTF_OK)
        status = dl_training_new(network, X, targets, &c->options, &c->training);
    dl_network_free(network);
    return status;
}

static int create_training(classifier *c) {
    int code = c->flags.init ? networks_load(c->flags.init, &c->start) : EXIT_OK;
    if (code == EXIT_OK)
        code = check_start(c);
    if (code != EXIT_OK)
        return code;
    dltf_status status = make_training(c);
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = c->data_path});
    if (c->validation)
        status = dl_training_validate(c->training, dltf_array_matrix(c->validation), c->validation_numbers);
    return status == DLTF_OK
               ? EXIT_OK
               : library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = c->flags.validation});
}

int classifier_prepare(classifier *c, dl_option_table table) {
    static int (*const steps[])(classifier *) = {read_sizes, check_files, load_data, load_validation,
                                                 create_training};
    int code = arguments_check(&c->args, table, &c->options);
    if (code == EXIT_OK)
        code = check_flags(c);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](c);
    if (code != EXIT_OK)
        return code;
    dl_network_options o = dl_training_options(c->training);
    remark("%straining for %s on %s of %lld classes (seed %lld, %s)", c->flags.resume ? "resuming: " : "",
           counted(o.epochs, "epoch"), counted(dltf_array_matrix(c->data).rows, "sample"),
           (long long)c->class_count, (long long)o.seed,
           o.threads > 0 ? counted(o.threads, "thread") : "all cores");
    return EXIT_OK;
}

void classifier_free(classifier *c) {
    dl_training_free(c->training);
    dl_network_free(c->start);
    dltf_array_free(c->data);
    dltf_array_free(c->validation);
    dltf_labels_free(c->labels);
    dltf_labels_free(c->validation_labels);
    free(c->classes);
    free(c->numbers);
    free(c->validation_numbers);
    free(c->output);
    free(c->checkpoint);
}
