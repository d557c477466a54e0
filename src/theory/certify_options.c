/* The options of certification. */
#include "base/options.h"

#include <string.h>

#define FIELD(field) .offset = offsetof(dltf_certify_options, field)

/* clang-format off */
static const dltf_option options[] = {
    {.name = "k", .letter = 'k', .kind = DLTF_OPTION_INTEGER, FIELD(k), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "K", .help = "exact number of entries of a code (default: that of the model)"},
    {.name = "noise", .kind = DLTF_OPTION_REAL, FIELD(noise), .default_text = "0", .max = 1e30, .argument = "EPS", .help = "bound on the norm of the noise of a sample"},
    {.name = "mu-e", .kind = DLTF_OPTION_REAL, FIELD(mu_e), .default_text = "0", .max = 1e30, .argument = "MU", .help = "bound on the inner products of noise and encoder rows; 0: derived from the bound on the norm"},
    {.name = "amplitude", .kind = DLTF_OPTION_REAL, FIELD(amplitude), .default_text = "1", .min = 1e-30, .max = 1e30, .argument = "A", .help = "magnitude of all entries of a code"},
    {.name = "signs", .kind = DLTF_OPTION_FLAG, FIELD(signs), .default_text = "false", .help = "entries may be A or -A; otherwise they are A"},
    {.name = "threads", .kind = DLTF_OPTION_INTEGER, FIELD(threads), .default_text = "0", .max = 1024, .argument = "T", .help = "threads to use; 0: all cores. The result does not depend on it"},
};
/* clang-format on */

dltf_option_table dltf_certify_option_table(void) {
    return (dltf_option_table)DLTF_OPTION_TABLE(options, dltf_certify_options);
}

dltf_certify_options dltf_certify_options_default(void) {
    dltf_certify_options certification;
    memset(&certification, 0, sizeof certification);
    dltf_option_defaults(dltf_certify_option_table(), &certification);
    return certification;
}
