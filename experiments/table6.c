/* Table 6 of the paper: networks that classify MNIST, from different starts. Model 1 is 784-1000-10, Model 2
 * 784-1000-1000-10; hidden layers come from dl_pretrain, then the whole is trained: `plain` with dropout,
 * as the paper describes it, `adversarial` on samples moved towards larger loss. All starts share these
 * recipes. Beyond the paper: random directions and samples as weights, at the scale of a dictionary; fewer
 * labels, with all samples for pre-training; layers that keep their k largest outputs. */
#include "experiments/kept.h"
#include "experiments/table6_data.h"
#include "experiments/table6_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 2, RECIPES = 2, SCHEDULES = 4, SETTINGS = MODELS * RECIPES * SCHEDULES, CLASSES = 10 };

enum { ERROR, SECONDS, PRETRAINING };
static const char *const metrics[] = {"error", "seconds", "pretraining_seconds", NULL};

/* ---- Constants ---- */

/* Where hidden layers come from. */
typedef struct origin {
    const char *name;
    dl_start_kind start;
    dl_scaling scaling;
    bool keep;     /* max_k */
    bool both;     /* for both models; otherwise for Model 1 */
    int schedules; /* how many: from all labels to few */
} origin;

static const origin origins[] = {
    {"random", DL_START_RANDOM, DL_SCALING_NONE, false, true, SCHEDULES},
    {"ae", DL_START_AE, DL_SCALING_RMS, false, true, SCHEDULES},
    {"dltf", DL_START_DLTF, DL_SCALING_RMS, false, true, SCHEDULES},
    {"samples", DL_START_SAMPLES, DL_SCALING_RMS, false, false, SCHEDULES},
    {"gaussian", DL_START_GAUSSIAN, DL_SCALING_RMS, false, false, SCHEDULES},
    {"dltf-max-k", DL_START_DLTF, DL_SCALING_RMS, true, false, 1},
};

enum { ORIGINS = sizeof origins / sizeof *origins };

static const char *const methods[] = {"random", "ae", "dltf", "samples", "gaussian", "dltf-max-k", NULL};

/* Hidden layers: units, and k of the dictionaries. */
static const int layers_of[MODELS] = {1, 2};
enum { UNITS = 1000, QUICK_UNITS = 60 };
static const int64_t all_k[MODELS][2] = {{100, 0}, {200, 100}};

enum { AE_EPOCHS = 10, DLTF_EPOCHS = 5 };

/* Labels, epochs of fine-tuning, and how far `adversarial` moves samples. The last repeats the one before
 * with a quarter of the epochs. */
typedef struct schedule {
    int64_t labels, quick_labels;
    int64_t epochs[MODELS][RECIPES], quick_epochs;
    double adversarial[MODELS];
} schedule;

static const double QUICK_ADVERSARIAL = 0.2;

static const schedule schedules[SCHEDULES] = {
    {60000, 1800, {{25, 45}, {25, 35}}, 8, {1.0, 1.5}},
    {5000, 600, {{60, 60}, {60, 60}}, 10, {1.3, 1.5}},
    {1000, 200, {{120, 120}, {120, 120}}, 32, {1.7, 1.7}},
    {1000, 200, {{30, 30}, {30, 30}}, 8, {1.7, 1.7}},
};

/* Rate, dropout of hidden outputs and of inputs. */
static const char *const recipe_names[RECIPES] = {"plain", "adversarial"};
static const struct {
    double rate, dropout, input_dropout;
} recipes[MODELS][RECIPES] = {{{.1, .5, .2}, {.1, .5, 0}}, {{.05, .5, .2}, {.1, .1, 0}}};

static const double paper_random[] = {1.62, 0, 0, 0, 1.62, 0, 0, 0, 1.26, 0, 0, 0, 1.26};
static const double paper_ae[] = {1.08, 0, 0, 0, 1.08, 0, 0, 0, .89, 0, 0, 0, .89};
static const double paper_dltf[] = {1.04, 0, 0, 0, 1.04, 0, 0, 0, .81, 0, 0, 0, .81};
static const experiment_paper paper[] = {
    {"random", 13, paper_random}, {"ae", 13, paper_ae}, {"dltf", 13, paper_dltf}, {NULL, 0, NULL}};

/* ---- Settings ---- */

typedef struct setting {
    int set, model, recipe, schedule;
} setting;

static setting decode(int number) {
    int within = number % SETTINGS;
    return (setting){number / SETTINGS, within / (RECIPES * SCHEDULES), within / SCHEDULES % RECIPES,
                     within % SCHEDULES};
}

static int64_t labels_of(bool quick, setting s) {
    return quick ? schedules[s.schedule].quick_labels : schedules[s.schedule].labels;
}

static int64_t epochs_of(bool quick, setting s) {
    return quick ? schedules[s.schedule].quick_epochs : schedules[s.schedule].epochs[s.model][s.recipe];
}

/* Small networks on few samples do not learn from samples that are moved far. */
static double adversarial_of(bool quick, setting s) {
    return quick ? QUICK_ADVERSARIAL : schedules[s.schedule].adversarial[s.model];
}

static int64_t units_of(bool quick) {
    return quick ? QUICK_UNITS : UNITS;
}

static int64_t k_of(bool quick, int model, int layer) {
    return all_k[model][layer] * units_of(quick) / UNITS;
}

static bool in_quick(int number) {
    return decode(number).schedule != 1;
}

static void describe(bool quick, int number, json_t *row) {
    setting s = decode(number);
    json_object_set_new(row, "data", json_string(table6_set_name(s.set)));
    json_object_set_new(row, "model", json_integer(s.model + 1));
    json_object_set_new(row, "recipe", json_string(recipe_names[s.recipe]));
    json_object_set_new(row, "labels", json_integer(labels_of(quick, s)));
    json_object_set_new(row, "epochs", json_integer(epochs_of(quick, s)));
}

static const origin *origin_of(const char *method) {
    int i = 0;
    while (strcmp(origins[i].name, method) != 0)
        i++;
    return &origins[i];
}

/* max_k is measured once, with the better recipe. */
static bool applies(const experiment_request *request, const char *method, int number) {
    setting s = decode(number);
    const origin *o = origin_of(method);
    return table6_set_exists(s.set, request) && s.schedule < o->schedules && (o->both || s.model == 0) &&
           (!o->keep || s.recipe == 1);
}

/* The scale rule of every start. */
static json_t *list_scalings(void) {
    json_t *scalings = json_object();
    char name[32];
    for (int i = 0; i < ORIGINS; i++) {
        dl_pretrain_options o = dl_pretrain_options_default();
        o.scaling = origins[i].scaling;
        dl_option_format(dl_option_find(dl_pretrain_option_table(), "scaling"), &o, name, sizeof name);
        json_object_set_new(scalings, origins[i].name, json_string(name));
    }
    return scalings;
}

static json_t *list_k(bool quick, int model) {
    json_t *list = json_array();
    for (int l = 0; l < layers_of[model]; l++)
        json_array_append_new(list, json_integer(k_of(quick, model, l)));
    return list;
}

static json_t *list_distances(bool quick, int model, int recipe) {
    json_t *list = json_array();
    for (int s = 0; s < SCHEDULES && recipe == 1; s++)
        json_array_append_new(list,
                              json_real(adversarial_of(quick, (setting){.model = model, .schedule = s})));
    return list;
}

static json_t *list_recipes(bool quick) {
    json_t *list = json_array();
    for (int i = 0; i < MODELS * RECIPES; i++) {
        int model = i / RECIPES, recipe = i % RECIPES;
        json_array_append_new(list, json_pack("{s:i, s:o, s:s, s:f, s:f, s:f, s:o}", "model", model + 1, "k",
                                              list_k(quick, model), "recipe", recipe_names[recipe], "rate",
                                              recipes[model][recipe].rate, "dropout",
                                              recipes[model][recipe].dropout, "input_dropout",
                                              recipes[model][recipe].input_dropout, "adversarial",
                                              list_distances(quick, model, recipe)));
    }
    return list;
}

static void protocol(bool quick, json_t *object) {
    json_object_set_new(object, "units", json_integer(units_of(quick)));
    json_object_set_new(object, "training_images", json_integer(table6_samples(quick)));
    json_object_set_new(object, "scaling", list_scalings());
    json_object_set_new(object, "dltf_epochs", json_integer(DLTF_EPOCHS));
    json_object_set_new(object, "ae_epochs", json_integer(AE_EPOCHS));
    json_object_set_new(object, "recipes", list_recipes(quick));
    json_object_set_new(
        object, "fine_tuning",
        json_string("Nesterov .9, batches of 128, rate falling linearly to 0; seed s takes the labels "
                    "of images s labels to (s + 1) labels - 1"));
    json_object_set_new(object, "error", json_string("percent of the test images after the last epoch"));
    json_object_set_new(object, "difference",
                        json_string("of the error to that of random with the same seed"));
    json_object_set_new(object, "seconds", json_string("fine-tuning, in the process of the run"));
    json_object_set_new(
        object, "validation_split",
        json_string("--validation: training on the first five sixths of the training images, errors "
                    "on the others; test images are not read"));
}

/* ---- Options, with the values of --try ---- */

static dltf_status check_trial(const char *trial) {
    table6_options o = {dl_pretrain_options_default(), dl_network_options_default()};
    return table6_try(&o, trial);
}

static dltf_status find_options(const experiment_cell *cell, table6_options *o) {
    setting s = decode(cell->setting);
    const origin *from = origin_of(cell->method);
    *o = (table6_options){dl_pretrain_options_default(), dl_network_options_default()};
    o->pretraining.method = from->start;
    o->pretraining.scaling = from->scaling;
    o->pretraining.keep = from->keep;
    if (from->start == DL_START_DLTF)
        o->pretraining.epochs = DLTF_EPOCHS;
    if (from->start == DL_START_AE)
        o->pretraining.epochs = cell->request->quick ? 1 : AE_EPOCHS;
    o->training.rate = recipes[s.model][s.recipe].rate;
    o->training.dropout = recipes[s.model][s.recipe].dropout;
    o->training.input_dropout = recipes[s.model][s.recipe].input_dropout;
    o->training.adversarial = s.recipe == 1 ? adversarial_of(cell->request->quick, s) : 0;
    o->training.epochs = epochs_of(cell->request->quick, s);
    o->pretraining.seed = o->training.seed = cell->seed;
    o->pretraining.threads = o->training.threads = cell->request->threads;
    return table6_try(o, cell->request->trial);
}

/* ---- Pre-training ---- */

static dltf_status pretrain(const experiment_cell *cell, const table6_data *data,
                            const dl_pretrain_options *options, dl_network **hidden, double *seconds) {
    setting s = decode(cell->setting);
    int64_t sizes[2], k[2];
    for (int l = 0; l < layers_of[s.model]; l++) {
        sizes[l] = units_of(cell->request->quick);
        k[l] = k_of(cell->request->quick, s.model, l);
    }
    double begin = dl_seconds();
    dltf_status status = dl_pretrain(data->training, sizes, k, layers_of[s.model], options, cell->progress,
                                     cell->context, hidden);
    *seconds = dl_seconds() - begin;
    return status;
}

/* The time that pre-training took is in a file beside the layers. */
static bool load_kept(const char *path, dl_network **hidden, double *seconds) {
    char beside[4200];
    dltf_array *time = NULL;
    float value = 0;
    snprintf(beside, sizeof beside, "%s.csv", path);
    if (dltf_array_load(beside, &time) != DLTF_OK)
        return false;
    dltf_matrix_row(dltf_array_matrix(time), 0, &value);
    dltf_array_free(time);
    *seconds = (double)value;
    return dl_network_load(path, hidden) == DLTF_OK;
}

static dltf_status save_kept(const char *path, const dl_network *hidden, double seconds) {
    char beside[4200];
    snprintf(beside, sizeof beside, "%s.csv", path);
    dltf_status status = dltf_matrix_save(dltf_matrix_f64(&seconds, 1, 1), beside);
    return status == DLTF_OK ? dl_network_save(hidden, path) : status;
}

/* Everything that the hidden layers depend on. */
static void key_of(const experiment_cell *cell, const dl_pretrain_options *options, char *key, size_t size) {
    dl_option_table table = dl_pretrain_option_table();
    size_t used = (size_t)snprintf(key, size, "%d %d", cell->request->quick, cell->request->validation);
    for (int i = 0; i < table.count && used < size; i++) {
        char value[64];
        if (strcmp(table.options[i].name, "threads") == 0)
            continue;
        dl_option_format(&table.options[i], options, value, sizeof value);
        used += (size_t)snprintf(key + used, size - used, " %s=%s", table.options[i].name, value);
    }
}

/* Hidden layers that took long to make are kept: all recipes and numbers of labels start from the same. */
static dltf_status find_hidden(const experiment_cell *cell, const table6_data *data,
                               const dl_pretrain_options *options, dl_network **hidden, double *seconds) {
    char name[128], key[1024], path[4096];
    setting s = decode(cell->setting);
    bool learned = options->method == DL_START_DLTF || options->method == DL_START_AE;
    snprintf(name, sizeof name, "table6-%s-model%d-%s-%lld", table6_set_name(s.set), s.model + 1,
             cell->method, (long long)cell->seed);
    key_of(cell, options, key, sizeof key);
    bool kept = learned && kept_file(cell->request, name, key, path, sizeof path);
    if (kept && load_kept(path, hidden, seconds))
        return DLTF_OK;
    dltf_status status = pretrain(cell, data, options, hidden, seconds);
    return kept && status == DLTF_OK ? save_kept(path, *hidden, *seconds) : status;
}

/* ---- One cell ---- */

/* The hidden layers and an output layer. */
static dltf_status add_output(const dl_network *hidden, int64_t seed, dl_network **network) {
    dl_layer_view layers[3];
    int64_t count = dl_network_layers(hidden);
    for (int64_t l = 0; l < count; l++)
        layers[l] = dl_network_layer(hidden, l);
    layers[count] = (dl_layer_view){.inputs = layers[count - 1].outputs, .outputs = CLASSES};
    dltf_status status = dl_network_new(layers, count + 1, seed, network);
    return status == DLTF_OK ? dl_network_set_scale(*network, dl_network_scale(hidden)) : status;
}

/* Percent of the test samples. */
static dltf_status measure_error(const dl_network *network, const table6_data *data, int64_t threads,
                                 double *error) {
    int64_t N = data->test.rows, wrong = 0;
    int64_t *found = malloc((size_t)N * sizeof *found);
    if (!found)
        return DLTF_MEMORY;
    dltf_status status = dl_network_predict(network, data->test, threads, found, NULL);
    for (int64_t i = 0; i < N && status == DLTF_OK; i++)
        wrong += found[i] != data->test_labels[i];
    *error = 100 * (double)wrong / (double)N;
    free(found);
    return status;
}

/* Those of the training samples whose labels are known. */
static dltf_matrix labelled(const table6_data *data, int64_t labels, int64_t seed, const int32_t **numbers) {
    int64_t all = data->training.rows, count = labels < all ? labels : all;
    int64_t first = seed * count % (all - count + 1);
    *numbers = data->training_labels + first;
    return table6_rows(data->training, first, count);
}

static dltf_status fine_tune(const experiment_cell *cell, const table6_data *data, const dl_network *hidden,
                             const dl_network_options *options, double *values) {
    setting s = decode(cell->setting);
    dl_network *network = NULL;
    dl_targets targets = {.labels = NULL};
    dltf_matrix X = labelled(data, labels_of(cell->request->quick, s), cell->seed, &targets.labels);
    double begin = dl_seconds();
    dltf_status status = add_output(hidden, cell->seed, &network);
    if (status == DLTF_OK)
        status = dl_network_train(network, X, targets, options, cell->progress, cell->context, NULL);
    values[SECONDS] = dl_seconds() - begin;
    if (status == DLTF_OK)
        status = measure_error(network, data, options->threads, &values[ERROR]);
    dl_network_free(network);
    return status;
}

static dltf_status measure(const experiment_cell *cell, double *values) {
    table6_data data = {.problem = NULL};
    table6_options options;
    dl_network *hidden = NULL;
    dltf_status status = find_options(cell, &options);
    if (status == DLTF_OK)
        status = table6_load(decode(cell->setting).set, cell->request, &data);
    if (status == DLTF_OK)
        status = find_hidden(cell, &data, &options.pretraining, &hidden, &values[PRETRAINING]);
    if (status == DLTF_OK)
        status = fine_tune(cell, &data, hidden, &options.training, values);
    dl_network_free(hidden);
    table6_free(&data);
    return status;
}

const experiment experiment_table6 = {
    .name = "table6",
    .summary = "classification of images by networks from different starts",
    .details = "error in percent of MNIST's test images, and its difference from that of the random start. "
               "The whole "
               "experiment takes about two hours with --jobs 2 --keep DIR on two cores.",
    .methods = methods,
    .method_key = "pretraining",
    .baseline = "random",
    .metrics = metrics,
    .settings = TABLE6_SETS * SETTINGS,
    .in_quick = in_quick,
    .describe = describe,
    .protocol = protocol,
    .paper = paper,
    .measure = measure,
    .check_trial = check_trial,
    .applies = applies,
    .notice = table6_notice,
};
