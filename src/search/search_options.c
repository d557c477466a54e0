/* The options of the search. */
#include "search/search_options.h"
#include "base/sized.h"
#include "dltf/search.h"

#include <string.h>

#define FIELD(field) .offset = offsetof(dltf_search_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .min = 1, .max = 9.0e15, .argument = "K", .help = "find the K nearest codes; of equally distant ones the first"},
    {.name = "radius", .kind = DL_OPTION_INTEGER, FIELD(radius), .max = 8 * DLTF_HASH_MAX_BYTES, .argument = "R", .help = "find all codes that differ in at most R bits"},
    {.name = "method", .kind = DL_OPTION_CHOICE, FIELD(method), .default_text = "auto", .choices = "auto|flat|multi-index", .argument = "METHOD", .help = "flat: compare with every code; multi-index: look up substrings, for small radii; auto: the one with the smaller estimated cost. The result is the same"},
    DL_THREADS_OPTION(dltf_search_options, threads),
};
/* clang-format on */

dl_option_table dl_search_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_search_options);
}

void dltf_search_options_init(dltf_search_options *options, size_t size) {
    dl_options_init(dl_search_option_table(), options, size);
}
