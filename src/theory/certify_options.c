/* The options of certification. */
#include "theory/certify_options.h"
#include "base/sized.h"
#include "dltf/certify.h"

#include <string.h>

#define FIELD(field) .offset = offsetof(dltf_certify_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "K", .help = "exact number of entries of a code (default: that of the model)"},
    {.name = "noise", .kind = DL_OPTION_REAL, FIELD(noise), .default_text = "0", .max = 1e30, .argument = "EPS", .help = "bound on the norm of the noise of a sample"},
    {.name = "mu-e", .kind = DL_OPTION_REAL, FIELD(mu_e), .default_text = "0", .max = 1e30, .argument = "MU", .help = "bound on the inner products of noise and encoder rows; 0: derived from the bound on the norm"},
    {.name = "amplitude", .kind = DL_OPTION_REAL, FIELD(amplitude), .default_text = "1", .min = 1e-30, .max = 1e30, .argument = "A", .help = "magnitude of all entries of a code"},
    {.name = "signs", .kind = DL_OPTION_FLAG, FIELD(signs), .default_text = "false", .help = "entries may be A or -A; otherwise they are A"},
    DL_THREADS_OPTION(dltf_certify_options, threads),
};
/* clang-format on */

dl_option_table dl_certify_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_certify_options);
}

void dltf_certify_options_init(dltf_certify_options *options, size_t size) {
    dl_options_init(dl_certify_option_table(), options, size);
}
