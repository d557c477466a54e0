/* The options of landmark codes. */
#include "cluster/landmark_options.h"
#include "base/sized.h"
#include "dltf/cluster.h"

#include <string.h>

#define FIELD(field) .offset = offsetof(dltf_landmark_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "m", .letter = 'm', .kind = DL_OPTION_INTEGER, FIELD(m), .default_text = "400", .min = 1, .max = 16384, .argument = "M", .help = "number of landmarks"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .default_text = "4", .min = 1, .max = 16384, .argument = "K", .help = "landmarks per code"},
    {.name = "d", .letter = 'd', .kind = DL_OPTION_INTEGER, FIELD(d), .default_text = "30", .min = 1, .max = 16384, .argument = "D", .help = "coordinates; about three times the number of clusters"},
    {.name = "power", .kind = DL_OPTION_REAL, FIELD(power), .default_text = "2", .max = 100, .argument = "P", .help = "power of the singular values that weight the coordinates; larger: smoother"},
    DL_SEED_OPTION(dltf_landmark_options, seed, "seed of the landmarks"),
    DL_THREADS_OPTION(dltf_landmark_options, threads),
};
/* clang-format on */

dl_option_table dl_landmark_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_landmark_options);
}

void dltf_landmark_options_init(dltf_landmark_options *options, size_t size) {
    dl_options_init(dl_landmark_option_table(), options, size);
}
