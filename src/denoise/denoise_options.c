/* The options of denoising. */
#include "denoise/denoise_options.h"
#include "base/sized.h"
#include "dltf/image.h"

#include <string.h>

#define METHODS "dltf|ksvd|paper" /* the values of dltf_denoise_method */
#define FIELD(field) .offset = offsetof(dltf_denoise_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "method", .kind = DL_OPTION_CHOICE, FIELD(method), .default_text = "dltf", .choices = METHODS, .argument = "METHOD", .help = "dltf: incoherent thresholded features, one product per patch; ksvd: K-SVD with orthogonal matching pursuit; paper: the k largest scores, plain averages"},
    {.name = "sigma", .kind = DL_OPTION_REAL, FIELD(sigma), .max = 1000, .argument = "SIGMA", .help = "standard deviation of the noise on the scale 0 .. 255 (default: estimated)"},
    {.name = "m", .letter = 'm', .kind = DL_OPTION_INTEGER, FIELD(m), .min = 1, .max = 16384, .argument = "M", .help = "number of atoms (default: 528; ksvd and paper: 256)"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .min = 1, .max = 1024, .argument = "K", .help = "maximum number of atoms per patch (default: 16; ksvd: 32; paper: 1)"},
    {.name = "patch", .kind = DL_OPTION_INTEGER, FIELD(patch), .default_text = "8", .min = 4, .max = 32, .argument = "P", .help = "side of the patches in pixels"},
    {.name = "stride", .kind = DL_OPTION_INTEGER, FIELD(stride), .default_text = "1", .min = 1, .max = 32, .argument = "S", .help = "distance between patches in pixels; at most the side"},
    {.name = "stages", .kind = DL_OPTION_INTEGER, FIELD(stages), .min = 1, .max = 2, .argument = "N", .help = "2: denoise again, with bases learned from the first result (default: 2; ksvd and paper: 1)"},
    DL_SEED_OPTION(dltf_denoise_options, seed, "seed of the random choice of training patches"),
    DL_THREADS_OPTION(dltf_denoise_options, threads),
};
/* clang-format on */

static unsigned possible(const void *target) {
    return 1u << ((const dltf_denoise_options *)target)->method;
}

dl_option_table dl_denoise_option_table(void) {
    dl_option_table table = DL_SIZED_TABLE(options, dltf_denoise_options);
    table.variants = METHODS;
    table.possible = possible;
    return table;
}

void dltf_denoise_options_init(dltf_denoise_options *options, size_t size) {
    dl_options_init(dl_denoise_option_table(), options, size);
}
