/* The options of synthetic problems. */
#include "data/synthetic_options.h"

#include "dltf/measure.h"

#define FIELD(field) .offset = offsetof(dltf_synthetic_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "n", .letter = 'n', .kind = DL_OPTION_INTEGER, FIELD(n), .default_text = "64", .min = 1, .max = 1e6, .argument = "n", .help = "entries of a sample"},
    {.name = "m", .letter = 'm', .kind = DL_OPTION_INTEGER, FIELD(m), .default_text = "128", .min = 1, .max = 1e6, .argument = "m", .help = "atoms of the true dictionary"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .default_text = "8", .min = 1, .max = 1e6, .argument = "k", .help = "atoms per sample"},
    {.name = "samples", .letter = 'N', .kind = DL_OPTION_INTEGER, FIELD(samples), .default_text = "10000", .min = 1, .max = 1e9, .argument = "N", .help = "training samples, and as many test samples"},
    {.name = "noise", .kind = DL_OPTION_REAL, FIELD(noise), .default_text = "0.1", .max = 1e6, .argument = "SD", .help = "standard deviation of the noise"},
    {.name = "codes", .kind = DL_OPTION_CHOICE, FIELD(entries), .default_text = "ones", .choices = "ones|signs|uniform|gaussian", .argument = "KIND", .help = "entries of the true codes: 1 (ones), 1 or -1 (signs), uniform in [0.5, 1.5] (uniform), or standard normal (gaussian)"},
    DL_SEED_OPTION(dltf_synthetic_options, seed, "seed of all random choices"),
};
/* clang-format on */

dl_option_table dl_synthetic_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_synthetic_options);
}

void dltf_synthetic_options_init(dltf_synthetic_options *options, size_t size) {
    dl_options_init(dl_synthetic_option_table(), options, size);
}
