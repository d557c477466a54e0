/* The options of dltf_suggest. */
#include "suggest/suggest_options.h"

/* clang-format off */
static const dl_option options[] = {
    {.name = "m", .letter = 'm', .kind = DL_OPTION_TEXT, .offset = offsetof(dltf_suggest_options, m), .argument = "LIST", .help = "numbers of atoms to try, as in 128,256 (default: one, two and four times the columns of the data, at most a tenth of the samples)"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_TEXT, .offset = offsetof(dltf_suggest_options, k), .argument = "LIST", .help = "entries per code to try, as in 4,8 (default: a quarter of the columns, at most 64, half and a quarter of that)"},
    {.name = "select", .kind = DL_OPTION_CHOICE, .offset = offsetof(dltf_suggest_options, select), .default_text = "any", .choices = "any|abs|positive", .argument = "RULE", .help = DL_SELECT_HELP "; any: try both"},
    {.name = "unit-norm", .kind = DL_OPTION_FLAG, .offset = offsetof(dltf_suggest_options, unit_norm), .default_text = "false", .help = "scale every sample to norm 1 in all trials; the explained variance is that of the data, with the norms given back"},
    {.name = "seconds", .kind = DL_OPTION_REAL, .offset = offsetof(dltf_suggest_options, seconds), .default_text = "60", .min = 0.1, .max = 1e6, .argument = "S", .help = "budget: CPU time of all threads"},
    {.name = "samples", .kind = DL_OPTION_INTEGER, .offset = offsetof(dltf_suggest_options, samples), .default_text = "50000", .min = 10, .max = 1e7, .argument = "N", .help = "number of samples to use, evenly spread over the data; a fifth of them, at most 1,000, are held out from training"},
    DL_SEED_OPTION(dltf_suggest_options, seed, "seed of all random choices"),
    DL_THREADS_ROW(dltf_suggest_options, threads, ". The suggestion does not depend on it if the budget suffices"),
};
/* clang-format on */

dl_option_table dl_suggest_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_suggest_options);
}

void dltf_suggest_options_init(dltf_suggest_options *options, size_t size) {
    dl_options_init(dl_suggest_option_table(), options, size);
}
