/* The options of the evaluation of codes. */
#include "retrieval/evaluate_options.h"
#include "base/sized.h"
#include "dltf/hash.h"

#include <string.h>

#define FIELD(field) .offset = offsetof(dltf_evaluate_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "distance", .kind = DL_OPTION_CHOICE, FIELD(distance), .default_text = "hamming", .choices = "hamming|spherical", .argument = "DISTANCE", .help = "bits that differ (hamming), or these divided by the bits that are 1 in both codes (spherical; for method sph)"},
    {.name = "depth", .kind = DL_OPTION_INTEGER, FIELD(depth), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "R", .help = "average precision of the first R codes (default: of the whole database)"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "K", .help = "precision and recall of the first K codes (default: 100, or the whole database if that is smaller)"},
    {.name = "threads", .kind = DL_OPTION_INTEGER, FIELD(threads), .default_text = "0", .max = 1024, .argument = "T", .help = "threads to use; 0: all cores. The result does not depend on it"},
};
/* clang-format on */

dl_option_table dl_evaluate_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_evaluate_options);
}

void dltf_evaluate_options_init(dltf_evaluate_options *options, size_t size) {
    dl_options_init(dl_evaluate_option_table(), options, size);
}
