/* The options of pre-training. */
#include "base/options.h"

#include <string.h>

#define CHOICE(NAME, name, help) "|" #name
#define CHOICES(ROWS) &(ROWS(CHOICE))[1] /* without the first '|' */
#define HELP(NAME, name, help) ", " help " (" #name ")"
#define FIELD(field) .offset = offsetof(dltf_pretrain_options, field)

/* clang-format off */
static const dltf_option options[] = {
    {.name = "method", .kind = DLTF_OPTION_CHOICE, FIELD(method), .default_text = "dltf", .choices = CHOICES(DLTF_STARTS), .argument = "START", .help = "where weights come from" DLTF_STARTS(HELP)},
    {.name = "scaling", .kind = DLTF_OPTION_CHOICE, FIELD(scaling), .default_text = "auto", .choices = &(DLTF_SCALINGS(CHOICE) "|auto")[1], .argument = "RULE", .help = "scale of the weights" DLTF_SCALINGS(HELP) ", none for random and rms for the others (auto)"},
    {.name = "scale", .kind = DLTF_OPTION_REAL, FIELD(scale), .default_text = "0", .max = 1e30, .argument = "S", .help = "factor on the samples, stored in the network; 0: 1 / largest magnitude"},
    {.name = "samples", .kind = DLTF_OPTION_INTEGER, FIELD(samples), .default_text = "0", .max = DL_OPTION_MAX_COUNT, .argument = "N", .help = "learn from N of the samples, spread over all of them; 0: from all"},
    {.name = "keep", .kind = DLTF_OPTION_FLAG, FIELD(keep), .default_text = "false", .help = "layers keep only their k largest outputs and set the others to 0"},
    {.name = "encoder", .kind = DLTF_OPTION_CHOICE, FIELD(encoder), .default_text = "learned", .choices = "auto|tied|tight|dual|distilled|learned|best", .applies = "dltf", .argument = "KIND", .help = "how the dictionary is learned, as in dltf train"},
    {.name = "epochs", .kind = DLTF_OPTION_INTEGER, FIELD(epochs), .default_text = "10", .max = 1e6, .applies = "dltf|ae", .argument = "E", .help = "passes over the samples for each layer; of dltf with encoder learned or best"},
    {.name = "dropout", .kind = DLTF_OPTION_REAL, FIELD(dropout), .default_text = "0", .max = 0.99, .applies = "ae", .argument = "P", .help = "share of the hidden outputs that is set to zero"},
    {.name = "input-dropout", .kind = DLTF_OPTION_REAL, FIELD(input_dropout), .default_text = "0.2", .max = 0.99, .applies = "ae", .argument = "P", .help = "share of the inputs that is set to zero, to be restored"},
    {.name = "seed", .kind = DLTF_OPTION_INTEGER, FIELD(seed), .default_text = "0", .max = 9.0e18, .argument = "S", .help = "seed of all random choices"},
    {.name = "threads", .kind = DLTF_OPTION_INTEGER, FIELD(threads), .default_text = "0", .max = 1024, .argument = "T", .help = "threads to use; 0: all cores. The result does not depend on it"},
};
/* clang-format on */

static unsigned possible(const void *target) {
    return 1u << ((const dltf_pretrain_options *)target)->method;
}

dltf_option_table dltf_pretrain_option_table(void) {
    return (dltf_option_table){options, sizeof options / sizeof *options, sizeof(dltf_pretrain_options),
                               CHOICES(DLTF_STARTS), possible};
}

dltf_pretrain_options dltf_pretrain_options_default(void) {
    dltf_pretrain_options defaults;
    memset(&defaults, 0, sizeof defaults);
    dltf_option_defaults(dltf_pretrain_option_table(), &defaults);
    return defaults;
}
