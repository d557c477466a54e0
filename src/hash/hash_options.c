/* The options of hashers. */
#include "hash/hash_options.h"
#include "base/sized.h"
#include "dltf/hash.h"

#include <string.h>

#define METHOD_CHOICE(NAME, name, help) "|" #name
#define METHODS &(DLTF_HASH_METHODS(METHOD_CHOICE))[1] /* without the first '|' */
#define METHOD_HELP(NAME, name, help) ", " help " (" #name ")"
#define FIELD(field) .offset = offsetof(dltf_hash_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "method", .kind = DL_OPTION_CHOICE, FIELD(method), .default_text = "neighbour", .choices = METHODS, .argument = "METHOD", .help = &(DLTF_HASH_METHODS(METHOD_HELP))[2]},
    {.name = "bits", .letter = 'm', .kind = DL_OPTION_INTEGER, FIELD(bits), .min = 8, .max = 4096, .argument = "M", .help = "bits of a code, a multiple of 8; required"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .min = 1, .max = 4096, .applies = "sparseh|dltf", .argument = "K", .help = "entries of a sparse code: bits that are 1 (default: sparseh a quarter of the bits, dltf half of them)"},
    {.name = "samples", .kind = DL_OPTION_INTEGER, FIELD(samples), .default_text = "100000", .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "N", .help = "train with at most N samples, chosen at random; memory grows with it"},
    {.name = "iterations", .kind = DL_OPTION_INTEGER, FIELD(iterations), .min = 1, .max = 1e6, .applies = "sph|itq|neighbour", .argument = "T", .help = "iterations of training (default: sph at most 100, itq 50, neighbour 600)"},
    DL_SEED_OPTION(dltf_hash_options, seed, "seed of all random choices"),
    DL_THREADS_OPTION(dltf_hash_options, threads),
};
/* clang-format on */

static unsigned possible(const void *target) {
    return 1u << ((const dltf_hash_options *)target)->method;
}

dl_option_table dl_hash_option_table(void) {
    dl_option_table table = DL_SIZED_TABLE(options, dltf_hash_options);
    table.variants = METHODS;
    table.possible = possible;
    return table;
}

void dltf_hash_options_init(dltf_hash_options *options, size_t size) {
    dl_options_init(dl_hash_option_table(), options, size);
}
