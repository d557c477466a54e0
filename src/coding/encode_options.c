/* The options of encoding. */
#include "coding/encode_options.h"
#include "base/sized.h"
#include "dltf/encode.h"

#include <string.h>

#define CODER_CHOICE(NAME, name, help) "|" #name
#define CODERS &(DLTF_CODERS(CODER_CHOICE))[1] /* without the first '|' */
#define CODER_HELP(NAME, name, help) ", " help " (" #name ")"
#define FIELD(field) .offset = offsetof(dltf_encode_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "K", .help = "entries kept per code (default: as the model was trained)"},
    {.name = "select", .kind = DL_OPTION_CHOICE, FIELD(select), .default_text = "model", .choices = DL_SELECT_CHOICES, .argument = "RULE", .help = DL_SELECT_HELP "; model: as it was trained"},
    {.name = "coder", .kind = DL_OPTION_CHOICE, FIELD(coder), .default_text = "threshold", .choices = CODERS, .argument = "CODER", .help = &(DLTF_CODERS(CODER_HELP))[2]},
    {.name = "passes", .kind = DL_OPTION_INTEGER, FIELD(passes), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "P", .applies = "iht|niht|htp", .help = "maximum number of passes (default: 100, htp 8); coding stops earlier once nothing changes"},
    {.name = "error", .kind = DL_OPTION_REAL, FIELD(error), .default_text = "0", .max = 1e300, .argument = "E", .applies = "omp", .help = "stop when ||x - Wz||^2 of the preprocessed sample is at most E, or at K entries; 0: always K entries"},
    {.name = "coherence", .kind = DL_OPTION_REAL, FIELD(coherence), .min = 1e-6, .max = 1, .argument = "MU", .applies = "incoherent", .help = "largest |<w_i, w_j>| of two atoms in a code (default: 0.1)"},
    {.name = "threshold", .kind = DL_OPTION_REAL, FIELD(threshold), .default_text = "0", .max = 1e30, .argument = "T", .applies = "incoherent", .help = "keep only scores above T"},
    {.name = "candidates", .kind = DL_OPTION_INTEGER, FIELD(candidates), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "C", .applies = "shortlist", .help = "scores on the list, at least K (default: 3 K)"},
    {.name = "lists", .kind = DL_OPTION_INTEGER, FIELD(lists), .min = 1, .max = 2, .argument = "L", .applies = "shortlist", .help = "1, or 2 for a second list from the residual of the first (default: 1)"},
    {.name = "refit", .kind = DL_OPTION_FLAG, FIELD(refit), .default_text = "false", .help = "compute values by least squares on the support instead of correlations"},
    DL_THREADS_OPTION(dltf_encode_options, threads),
    {.name = "no-error", .kind = DL_OPTION_FLAG, FIELD(no_error), .default_text = "false", .help = "do not measure how well the codes reconstruct the samples"},
};
/* clang-format on */

static unsigned possible(const void *target) {
    return 1u << ((const dltf_encode_options *)target)->coder;
}

dl_option_table dl_encode_option_table(void) {
    dl_option_table table = DL_SIZED_TABLE(options, dltf_encode_options);
    table.variants = CODERS;
    table.possible = possible;
    return table;
}

void dltf_encode_options_init(dltf_encode_options *options, size_t size) {
    dl_options_init(dl_encode_option_table(), options, size);
}
