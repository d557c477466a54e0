/* dltf pretrain: the hidden layers of a network, from samples without labels. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/lists.h"
#include "cli/networks.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <stdlib.h>

typedef struct pretrain_flags {
    const char *output, *hidden, *k;
} pretrain_flags;

typedef struct pretraining {
    arguments args;
    pretrain_flags flags;
    dl_pretrain_options options;
    const char *data_path;
    char *output;
    list_of_integers hidden, k;
    dltf_array *data;
    dl_network *network;
    double seconds;
} pretraining;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(pretrain_flags, output), .argument = "NETWORK", .help = "output file (default: named after DATA, in the current directory)"},
    {.name = "hidden", .kind = DL_OPTION_TEXT, .offset = offsetof(pretrain_flags, hidden), .default_text = "1000", .argument = "LIST", .help = "units of each layer, as in 1000,500"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_TEXT, .offset = offsetof(pretrain_flags, k), .argument = "LIST", .help = "entries of the codes that a dictionary is learned with, for each layer or for all; with --keep the outputs that a layer keeps (default: a tenth of the units)"},
};
/* clang-format on */

static int read_sizes(pretraining *p) {
    int code = arguments_check(&p->args, dl_pretrain_option_table(), &p->options);
    if (code == EXIT_OK)
        code = lists_read("hidden", p->flags.hidden, 1, &p->hidden);
    if (code == EXIT_OK)
        code = lists_read("k", p->flags.k, 1, &p->k);
    if (code != EXIT_OK)
        return code;
    for (int l = 0; !p->flags.k && l < p->hidden.count; l++)
        p->k.values[p->k.count++] = p->hidden.values[l] < 10 ? 1 : p->hidden.values[l] / 10;
    return lists_fit("k", p->hidden.count, &p->k);
}

static int load(pretraining *p) {
    p->output = p->flags.output ? files_join(p->flags.output, "")
                                : files_default_name(p->data_path, ".network.safetensors");
    if (!p->output)
        return EXIT_FAILED;
    const char *output = p->output;
    int code = files_check(1, &p->data_path, 1, &output);
    return code == EXIT_OK ? files_load_data(p->data_path, &p->data) : code;
}

static int pretrain(pretraining *p) {
    double begin = dl_seconds();
    dltf_status status = dl_pretrain(dltf_array_matrix(p->data), p->hidden.values, p->k.values,
                                     p->hidden.count, &p->options, progress_step, NULL, &p->network);
    p->seconds = dl_seconds() - begin;
    progress_erase();
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = p->data_path});
    return files_save_anywhere(networks_save, p->network, p->output) == p->output ? EXIT_OK : EXIT_FAILED;
}

static int print_report(pretraining *p) {
    facts f = facts_new();
    char method[32];
    dl_option_format(dl_option_find(dl_pretrain_option_table(), "method"), &p->options, method,
                     sizeof method);
    facts_integer(&f, "samples", "samples", dltf_array_matrix(p->data).rows);
    facts_text(&f, "method", "method", method);
    networks_report_sizes(&f, p->network);
    facts_real(&f, "scale", "factor on samples", dl_network_scale(p->network));
    facts_real(&f, "seconds", "seconds", p->seconds);
    facts_text(&f, "output", "file", p->output);
    facts_line(&f, "next", "dltf classify train %s --labels LABELS --init %s", files_quoted(p->data_path),
               files_quoted(p->output));
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(pretraining *) = {read_sizes, load, pretrain, print_report};
    pretraining p = {.output = NULL};
    if (!arguments_parse(self, count, words, &p.flags, &p.options, &p.args))
        return p.args.exit_code;
    p.data_path = p.args.operands[0];
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&p);
    dl_network_free(p.network);
    dltf_array_free(p.data);
    free(p.output);
    return code;
}

const command command_pretrain = {
    .name = "pretrain",
    .summary = "make the hidden layers of a network from data without labels",
    .operands = "DATA",
    .details =
        "Makes ReLU layers one after the other, each from the outputs of those before, with weights from a "
        "dictionary or another origin, at the scale that training needs. 'dltf classify train --init' adds "
        "the output layer and trains the whole network. The same seed gives the same file for any number of "
        "threads.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, pretrain_flags),
    .library = dl_pretrain_option_table,
    .library_title = "Layers",
    .json = "sizes of the layers, method and file",
    .examples = {"dltf pretrain train-images-idx3-ubyte.gz --hidden 1000 -k 100 -o net.safetensors",
                 "dltf pretrain X.npy --hidden 500,200 --method ae --epochs 20 -o net.safetensors", NULL},
    .run = run,
};
