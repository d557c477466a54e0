/* The options of the evaluation of codes. */
#include "retrieval/hash_evaluate_options.h"
#include "base/sized.h"
#include "dltf/hash.h"

#include <string.h>

#define FIELD(field) .offset = offsetof(dltf_hash_evaluate_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "distance", .kind = DL_OPTION_CHOICE, FIELD(distance), .default_text = "hamming", .choices = "hamming|spherical", .argument = "DISTANCE", .help = "bits that differ (hamming), or these divided by the bits that are 1 in both codes (spherical; for method sph)"},
    {.name = "depth", .kind = DL_OPTION_INTEGER, FIELD(depth), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "R", .help = "average precision of the first R codes (default: of the whole database)"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "K", .help = "precision and recall of the first K codes (default: 100, or the whole database if that is smaller)"},
    DL_THREADS_OPTION(dltf_hash_evaluate_options, threads),
};
/* clang-format on */

dl_option_table dl_hash_evaluate_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_hash_evaluate_options);
}

void dltf_hash_evaluate_options_init(dltf_hash_evaluate_options *options, size_t size) {
    dl_options_init(dl_hash_evaluate_option_table(), options, size);
}
