/* The options of k-means. */
#include "cluster/cluster_options.h"
#include "base/sized.h"
#include "dltf/cluster.h"

#include <string.h>

#define FIELD(field) .offset = offsetof(dltf_cluster_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "clusters", .letter = 'c', .kind = DL_OPTION_INTEGER, FIELD(clusters), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "C", .help = "number of clusters; required"},
    {.name = "restarts", .kind = DL_OPTION_INTEGER, FIELD(restarts), .default_text = "10", .min = 1, .max = 1e6, .argument = "R", .help = "runs from different initial centers; the one with the smallest inertia is kept"},
    {.name = "iterations", .kind = DL_OPTION_INTEGER, FIELD(iterations), .default_text = "300", .max = 1e9, .argument = "N", .help = "maximum number of iterations of a run"},
    {.name = "tolerance", .kind = DL_OPTION_REAL, FIELD(tolerance), .default_text = "0.0001", .max = 1, .argument = "T", .help = "stop when the squared movement of the centers, relative to the mean variance of a column, is at most T; 0: only when no sample changes its cluster"},
    {.name = "spherical", .kind = DL_OPTION_FLAG, FIELD(spherical), .default_text = "false", .help = "scale samples and centers to norm 1: clusters of directions"},
    DL_SEED_OPTION(dltf_cluster_options, seed, "seed of the initial centers"),
    DL_THREADS_OPTION(dltf_cluster_options, threads),
};
/* clang-format on */

dl_option_table dl_cluster_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_cluster_options);
}

void dltf_cluster_options_init(dltf_cluster_options *options, size_t size) {
    dl_options_init(dl_cluster_option_table(), options, size);
}
