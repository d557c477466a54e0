/* A module for bench/networks: networks are not part of libdltf.so. Functions return NULL, or a message. */
#include "network/networks.h"

#define EXPORT __attribute__((visibility("default")))

enum { MOST_LAYERS = 16 };

typedef struct trained {
    dl_network *network;
    dl_network_options options;
    int64_t inputs;
} trained;

static trained made[MOST_LAYERS];
static int count;

/* A network of the given sizes, ReLU but for the last layer. `words`: name and value of every option, then
 * NULL. */
EXPORT const char *bench_network_new(const int64_t *sizes, int64_t size_count, const char *const *words,
                                     void **handle) {
    dl_layer_view layers[MOST_LAYERS];
    trained *t = &made[count];
    if (count == MOST_LAYERS || size_count > MOST_LAYERS)
        return "too many networks or layers";
    for (int64_t l = 0; l + 1 < size_count; l++)
        layers[l] =
            (dl_layer_view){.inputs = sizes[l],
                            .outputs = sizes[l + 1],
                            .activation = l + 2 < size_count ? DL_ACTIVATION_RELU : DL_ACTIVATION_LINEAR};
    t->inputs = sizes[0];
    t->options = dl_network_options_default();
    for (; words[0]; words += 2)
        if (dl_option_set(dl_network_option_table(), &t->options, words[0], words[1]) != DLTF_OK)
            return dltf_message();
    if (dl_network_new(layers, size_count - 1, 1, &t->network) != DLTF_OK)
        return dltf_message();
    *handle = t;
    count++;
    return NULL;
}

/* Trains with the rows of X, to their labels or to themselves, as the loss asks. */
EXPORT const char *bench_network_epoch(void *handle, const float *X, int64_t rows, const int32_t *labels,
                                       double *loss) {
    trained *t = handle;
    dltf_matrix samples = dltf_matrix_f32(X, rows, t->inputs);
    dl_targets targets = {.labels = labels, .values = samples};
    dltf_status status = dl_network_train(t->network, samples, targets, &t->options, NULL, NULL, loss);
    return status == DLTF_OK ? NULL : dltf_message();
}

EXPORT const char *bench_build(void) {
    return dltf_build();
}
