/* The options of pre-training. */
#include "pretrain/pretraining.h"

#include <string.h>

#define CHOICE(NAME, name, help) "|" #name
#define CHOICES(ROWS) &(ROWS(CHOICE))[1] /* without the first '|' */
#define HELP(NAME, name, help) ", " help " (" #name ")"
#define FIELD(field) .offset = offsetof(dl_pretrain_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "method", .kind = DL_OPTION_CHOICE, FIELD(method), .default_text = "dltf", .choices = CHOICES(DL_STARTS), .argument = "START", .help = "where weights come from" DL_STARTS(HELP)},
    {.name = "scaling", .kind = DL_OPTION_CHOICE, FIELD(scaling), .default_text = "auto", .choices = &(DL_SCALINGS(CHOICE) "|auto")[1], .argument = "RULE", .help = "scale of the weights" DL_SCALINGS(HELP) ", none for random and rms for the others (auto)"},
    {.name = "scale", .kind = DL_OPTION_REAL, FIELD(scale), .default_text = "0", .max = 1e30, .argument = "S", .help = "factor on the samples, stored in the network; 0: 1 / largest magnitude"},
    {.name = "samples", .kind = DL_OPTION_INTEGER, FIELD(samples), .default_text = "0", .max = DL_OPTION_MAX_COUNT, .argument = "N", .help = "learn from N of the samples, spread over all of them; 0: from all"},
    {.name = "keep", .kind = DL_OPTION_FLAG, FIELD(keep), .default_text = "false", .help = "layers keep only their k largest outputs and set the others to 0"},
    {.name = "encoder", .kind = DL_OPTION_CHOICE, FIELD(encoder), .default_text = "learned", .choices = "auto|tied|tight|dual|distilled|learned|best", .applies = "dltf", .argument = "KIND", .help = "how the dictionary is learned, as in dltf train"},
    {.name = "epochs", .kind = DL_OPTION_INTEGER, FIELD(epochs), .default_text = "10", .max = 1e6, .applies = "dltf|ae", .argument = "E", .help = "passes over the samples for each layer; of dltf with encoder learned or best"},
    {.name = "dropout", .kind = DL_OPTION_REAL, FIELD(dropout), .default_text = "0", .max = 0.99, .applies = "ae", .argument = "P", .help = "share of the hidden outputs that is set to zero"},
    {.name = "input-dropout", .kind = DL_OPTION_REAL, FIELD(input_dropout), .default_text = "0.2", .max = 0.99, .applies = "ae", .argument = "P", .help = "share of the inputs that is set to zero, to be restored"},
    DL_SEED_OPTION(dl_pretrain_options, seed, "seed of all random choices"),
    DL_THREADS_OPTION(dl_pretrain_options, threads),
};
/* clang-format on */

static unsigned possible(const void *target) {
    return 1u << ((const dl_pretrain_options *)target)->method;
}

dl_option_table dl_pretrain_option_table(void) {
    dl_option_table table = DL_OPTION_TABLE(options, dl_pretrain_options);
    table.variants = CHOICES(DL_STARTS);
    table.possible = possible;
    return table;
}

dl_pretrain_options dl_pretrain_options_default(void) {
    dl_pretrain_options defaults;
    memset(&defaults, 0, sizeof defaults);
    dl_option_defaults(dl_pretrain_option_table(), &defaults);
    return defaults;
}
