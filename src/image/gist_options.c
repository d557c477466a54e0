/* The options of GIST. */
#include "image/gist_options.h"
#include "base/sized.h"
#include "dltf/image.h"

#include <string.h>

#define FIELD(field) .offset = offsetof(dltf_gist_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "side", .kind = DL_OPTION_INTEGER, FIELD(side), .default_text = "32", .min = 32, .max = 256, .argument = "S", .help = "reduce images to S x S pixels: 32, 64, 128 or 256"},
    DL_THREADS_OPTION(dltf_gist_options, threads),
};
/* clang-format on */

dl_option_table dl_gist_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_gist_options);
}

void dltf_gist_options_init(dltf_gist_options *options, size_t size) {
    dl_options_init(dl_gist_option_table(), options, size);
}
