/* The options of deep embedded clustering. */
#include "network/networks.h"

#include <string.h>

#define CHOICE(NAME, name, help) "|" #name
#define CHOICES(ROWS) &(ROWS(CHOICE))[1] /* without the first '|' */
#define FIELD(field) .offset = offsetof(dl_dec_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "optimiser", .kind = DL_OPTION_CHOICE, FIELD(optimiser), .default_text = "sgd", .choices = CHOICES(DL_OPTIMISERS), .argument = "RULE", .help = "how weights and centers follow their gradient"},
    {.name = "rate", .kind = DL_OPTION_REAL, FIELD(rate), .default_text = "0.01", .max = 1e6, .argument = "R", .help = "learning rate"},
    {.name = "momentum", .kind = DL_OPTION_REAL, FIELD(momentum), .default_text = "0.9", .max = 0.9999, .argument = "M", .help = "share of the last step in the next"},
    {.name = "batch", .kind = DL_OPTION_INTEGER, FIELD(batch), .default_text = "256", .min = 1, .max = 1e6, .argument = "B", .help = "samples per step"},
    {.name = "interval", .kind = DL_OPTION_INTEGER, FIELD(interval), .default_text = "140", .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "T", .help = "steps between two updates of the targets"},
    {.name = "steps", .kind = DL_OPTION_INTEGER, FIELD(steps), .default_text = "20000", .max = DL_OPTION_MAX_COUNT, .argument = "T", .help = "largest number of steps"},
    {.name = "tolerance", .kind = DL_OPTION_REAL, FIELD(tolerance), .default_text = "0.001", .max = 1, .argument = "TOL", .help = "stop when fewer than this share of the samples change their cluster in an interval"},
    DL_SEED_OPTION(dl_dec_options, seed, "seed of the order of the samples"),
    DL_THREADS_OPTION(dl_dec_options, threads),
};
/* clang-format on */

dl_option_table dl_dec_option_table(void) {
    return (dl_option_table)DL_OPTION_TABLE(options, dl_dec_options);
}

dl_dec_options dl_dec_options_default(void) {
    dl_dec_options options;
    memset(&options, 0, sizeof options);
    dl_option_defaults(dl_dec_option_table(), &options);
    return options;
}
