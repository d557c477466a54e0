/* dltf inspect: properties of a model, the coherence of its dictionary and what it guarantees; a picture of
 * the atoms. Layers of a network; method and sizes of a hasher; sizes of an index. */
#include "cli/arguments.h"
#include "cli/atom_use.h"
#include "cli/files.h"
#include "cli/model_facts.h"
#include "cli/output.h"
#include "cli/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct inspect_flags {
    const char *atoms, *shape, *data;
} inspect_flags;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "atoms", .kind = DL_OPTION_TEXT, .offset = offsetof(inspect_flags, atoms), .argument = "FILE.png", .help = "draw the atoms as gray images in a grid"},
    {.name = "data", .kind = DL_OPTION_TEXT, .offset = offsetof(inspect_flags, data), .argument = "DATA", .help = "samples to code: report their errors, those of each prefix of a nested dictionary, and how often atoms are used, and draw the most used atoms first"},
    {.name = "shape", .kind = DL_OPTION_TEXT, .offset = offsetof(inspect_flags, shape), .argument = "WxH", .help = "width and height of an atom as an image (default: square)"},
};
/* clang-format on */

typedef struct measures {
    double welch, babel, potential, potential_bound;
    int64_t babel_order; /* min(k, m - 1) */
    dltf_model_certificate certificate;
} measures;

static dltf_status measure_babel(const dltf_model *model, int64_t order, measures *found) {
    if (order == 0)
        return DLTF_OK;
    double *babel = malloc((size_t)order * sizeof *babel);
    if (!babel)
        return DLTF_MEMORY;
    dltf_status status = dltf_model_babel(model, order, babel);
    found->babel_order = order;
    found->babel = babel[order - 1];
    free(babel);
    return status;
}

static dltf_status measure(const dltf_model *model, measures *found) {
    dltf_model_view view = dltf_model_get(model);
    double m = (double)view.m, n = (double)view.n;
    *found = (measures){.potential_bound = fmax(m, m * m / n)};
    found->welch = view.m > view.n ? sqrt((m - n) / (n * (m - 1))) : 0;
    dltf_matrix W = dltf_matrix_f32(view.dictionary, view.m, view.n);
    dltf_status status = view.threshold ? dltf_coherence(W, &found->certificate.mu)
                                        : dltf_model_certify(model, NULL, &found->certificate);
    if (status == DLTF_OK)
        status = dltf_frame_potential(W, &found->potential);
    if (status == DLTF_OK && !view.threshold)
        status = measure_babel(model, view.k < view.m - 1 ? view.k : view.m - 1, found);
    return status;
}

/* Guarantees are about the k largest scores: `thresholded` models have none. */
static void report_measures(facts *f, const measures *found, bool thresholded) {
    const dltf_model_certificate *c = &found->certificate;
    facts_real(f, "coherence", NULL, c->mu);
    facts_real(f, "welch_bound", NULL, found->welch);
    facts_line(f, "coherence", "%.4g (Welch: at least %.4g)", c->mu, found->welch);
    facts_integer(f, "babel_order", NULL, found->babel_order);
    facts_real(f, "babel", NULL, found->babel);
    if (found->babel_order > 0)
        facts_line(f, "Babel function", "mu_1(%lld) = %.4g", (long long)found->babel_order, found->babel);
    facts_real(f, "frame_potential", NULL, found->potential);
    facts_real(f, "frame_potential_bound", NULL, found->potential_bound);
    facts_line(f, "frame potential", "%.6g (lower bound: %.6g)", found->potential, found->potential_bound);
    if (thresholded)
        return;
    facts_integer(f, "guaranteed_k", NULL, c->without_noise.theorem1);
    facts_integer(f, "guaranteed_k_babel", NULL, c->without_noise.babel);
    facts_line(f, "guaranteed up to",
               "k = %lld by Corollary 1.1 (k mu < 1/2; tied feature), k = %lld by the Babel function",
               (long long)c->without_noise.theorem1, (long long)c->without_noise.babel);
    facts_line(
        f, "",
        "(for x = Wz without noise and k equal entries; larger k usually works too, see dltf certify)");
}

/* ---- Models ---- */

static int draw_atoms(const inspect_flags *flags, dltf_model_view view, const atom_use *use) {
    picture_shape shape;
    int code = picture_find_shape(flags->shape, view.n, &shape);
    if (code != EXIT_OK)
        return code;
    size_t atom = (size_t)view.n * sizeof(float);
    float *tiles = malloc((size_t)view.m * atom);
    if (!tiles)
        return failure("not enough memory for a picture of %s", counted(view.m, "atom"));
    for (int64_t j = 0; j < view.m; j++)
        memcpy(tiles + j * view.n, view.dictionary + use[j].atom * view.n, atom);
    int64_t columns = (int64_t)ceil(sqrt((double)view.m));
    dltf_status status = dltf_picture_save(dltf_matrix_f32(tiles, view.m, view.n), shape.width, shape.height,
                                           columns, DLTF_GRAY_SYMMETRIC, flags->atoms);
    free(tiles);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int report(const char *path, const inspect_flags *flags, const dltf_model *model, const atom_use *use,
                  const atom_use_errors *errors) {
    dltf_model_view view = dltf_model_get(model);
    measures found;
    dltf_status status = measure(model, &found);
    if (status != DLTF_OK)
        return library_failure(status);
    int code = flags->atoms ? draw_atoms(flags, view, use) : EXIT_OK;
    if (code != EXIT_OK)
        return code;
    facts f = facts_new();
    model_facts(&f, path, view);
    const char *choice = dltf_model_note(model, "center.choice");
    if (choice && (view.mean || view.offset))
        facts_line(&f, "", "%s; --no-center leaves it", choice);
    report_measures(&f, &found, view.threshold != NULL);
    if (flags->data)
        atom_use_report(&f, use, view.m, errors);
    prefix_list_report(&f, &errors->prefixes);
    model_notes(&f, model);
    if (flags->atoms)
        facts_text(&f, "atoms", "picture of the atoms", flags->atoms);
    output_facts(&f, false);
    return EXIT_OK;
}

static int inspect(const char *path, const inspect_flags *flags, const dltf_model *model) {
    int64_t m = dltf_model_get(model).m;
    atom_use_errors errors = {.prefixes = prefix_list_of(model)};
    atom_use *use = calloc((size_t)m, sizeof *use);
    if (!use)
        return failure("not enough memory for %s", counted(m, "atom"));
    for (int64_t j = 0; j < m; j++)
        use[j].atom = j;
    int code = flags->data ? atom_use_measure(flags->data, model, use, &errors) : EXIT_OK;
    if (code == EXIT_OK)
        code = report(path, flags, model, use, &errors);
    free(use);
    return code;
}

/* ---- Networks ---- */

static const char *activation_name(dl_activation_kind activation) {
#define NAME(NAME, name, help) #name,
    static const char *const names[] = {DL_ACTIVATIONS(NAME)};
#undef NAME
    return names[activation];
}

static void report_classes(facts *f, const dl_network *network) {
    const int64_t *classes = dl_network_classes(network);
    int64_t count = dl_network_layer(network, dl_network_layers(network) - 1).outputs;
    if (!classes)
        return;
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(classes[i]));
    facts_json(f, "classes", list);
    facts_line(f, "classes", "%lld, with labels from %lld to %lld", (long long)count, (long long)classes[0],
               (long long)classes[count - 1]);
}

static int inspect_network(const char *path, const dl_network *network) {
    int64_t count = dl_network_layers(network), weights = 0;
    json_t *layers = json_array();
    facts f = facts_new();
    facts_text(&f, "network", "network", path);
    for (int64_t l = 0; l < count; l++) {
        dl_layer_view layer = dl_network_layer(network, l);
        const char *activation = activation_name(layer.activation);
        weights += layer.outputs * (layer.inputs + 1);
        json_array_append_new(layers, json_pack("{s:I, s:I, s:s, s:I}", "inputs", (json_int_t)layer.inputs,
                                                "outputs", (json_int_t)layer.outputs, "activation",
                                                activation, "k", (json_int_t)layer.k));
        char kept[64] = "";
        if (layer.k > 0)
            snprintf(kept, sizeof kept, ", the %lld largest are kept", (long long)layer.k);
        facts_line(&f, l == 0 ? "layers" : "", "%lld -> %lld, %s%s", (long long)layer.inputs,
                   (long long)layer.outputs, activation, kept);
    }
    facts_json(&f, "layers", layers);
    facts_integer(&f, "weights", "weights and biases", weights);
    facts_real(&f, "scale", "factor on inputs", dl_network_scale(network));
    report_classes(&f, network);
    output_facts(&f, false);
    return EXIT_OK;
}

/* ---- Hashers ---- */

static int inspect_hasher(const char *path, const dltf_hasher *hasher) {
    dltf_hasher_view view = dltf_hasher_get(hasher);
    json_t *notes = json_object();
    const char *name = NULL;
    facts f = facts_new();
    facts_text(&f, "hasher", "hasher", path);
    facts_text(&f, "method", "method", view.name);
    facts_integer(&f, "bits", "bits", view.bits);
    facts_integer(&f, "n", "columns of the data (n)", view.n);
    if (view.k > 0)
        facts_integer(&f, "k", "entries of a sparse code (k)", view.k);
    for (int i = 0; (name = dltf_hasher_note_name(hasher, i)) != NULL; i++) {
        const char *text = dltf_hasher_note(hasher, name);
        json_object_set_new(notes, name, json_string(text));
        facts_line(&f, i == 0 ? "notes" : "", "%s = %s", name, text);
    }
    facts_json(&f, "notes", notes);
    output_facts(&f, false);
    return EXIT_OK;
}

static int inspect_index(const char *path, const dltf_index *index) {
    dltf_index_view view = dltf_index_get(index);
    facts f = facts_new();
    facts_text(&f, "index", "index", path);
    facts_integer(&f, "codes", "codes", view.rows);
    facts_integer(&f, "bits", "bits", 8 * view.bytes);
    facts_integer(&f, "tables", "tables", view.tables);
    facts_integer(&f, "table_bytes", "bytes of all tables", view.table_bytes);
    output_facts(&f, false);
    return EXIT_OK;
}

static int inspect_loaded(const char *path, const inspect_flags *flags, const dl_loaded *loaded) {
    if (loaded->model)
        return inspect(path, flags, loaded->model);
    if (flags->atoms || flags->data)
        return usage_error("%s %s: --%s needs a model", path,
                           loaded->network  ? "is a network"
                           : loaded->hasher ? "is a hasher"
                                            : "holds binary codes",
                           flags->atoms ? "atoms" : "data");
    return loaded->network  ? inspect_network(path, loaded->network)
           : loaded->hasher ? inspect_hasher(path, loaded->hasher)
                            : inspect_index(path, loaded->index);
}

/* Shows whatever the file contains. */
static int inspect_file(const char *path, const inspect_flags *flags) {
    dl_loaded loaded;
    dltf_status status = dl_load(path, &loaded);
    int code = status == DLTF_OK ? inspect_loaded(path, flags, &loaded) : files_check_model(path);
    if (status != DLTF_OK && code == EXIT_OK)
        code = library_failure(status);
    dl_loaded_free(&loaded);
    return code;
}

static int run(const command *self, int count, char **words) {
    inspect_flags flags = {.atoms = NULL};
    arguments args;
    if (!arguments_parse(self, count, words, &flags, NULL, &args))
        return args.exit_code;
    const char *path = args.operands[0], *inputs[] = {path, flags.data};
    int code = files_check(2, inputs, 1, &flags.atoms);
    if (code == EXIT_OK)
        code = files_check_picture(flags.atoms);
    return code == EXIT_OK ? inspect_file(path, &flags) : code;
}

const command command_inspect = {
    .name = "inspect",
    .summary = "show the properties and guarantees of a model, network, hasher or index",
    .operands = "MODEL",
    .details =
        "Prints the sizes, encoder and preprocessing of a model, the coherence of its dictionary next to its "
        "lower bound, the number of entries for which recovery is proven, and how the model was trained. For "
        "a network it prints the layers, for a hasher its method and sizes, for an index (or a file of "
        "binary codes) the sizes of codes and tables.",
    .own = DL_OPTION_TABLE(own_options, inspect_flags),
    .json = "the same values",
    .examples = {"dltf inspect X.model.safetensors",
                 "dltf inspect faces.model.safetensors --atoms atoms.png --data faces.npy", NULL},
    .reads_data = true,
    .run = run,
};
