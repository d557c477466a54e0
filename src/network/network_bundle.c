/* Tensors "0.weight", "0.bias", "1.weight", ... and the note `activations`: their names, separated by blanks;
 * "relu:100" keeps 100 outputs. Optional tensors "scale", of the inputs, and "classes". */
#include "network/network_bundle.h"

#include "base/finite.h"
#include "base/shown.h"
#include "base/text.h"
#include "data/kind.h"
#include "network/network.h"

#include <stdio.h>
#include <string.h>

static const char *const parts[] = {"weight", "bias"};

static void name_tensor(char name[48], int64_t layer, int part) {
    snprintf(name, 48, "%lld.%s", (long long)layer, parts[part]);
}

static dltf_status note_activations(const dl_network *network, dl_notes *notes) {
    dl_text names = {0};
    for (int64_t l = 0; l < network->count; l++) {
        dl_text_append(&names, "%s%s", l > 0 ? " " : "", network->layers[l].activation->name);
        if (network->layers[l].k > 0)
            dl_text_append(&names, ":%lld", (long long)network->layers[l].k);
    }
    dltf_status status = dl_text_status(&names);
    if (status == DLTF_OK)
        status = dl_notes_set(notes, "activations", names.data);
    dl_text_free(&names);
    return status;
}

dltf_status dl_network_pack(const dl_network *network, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    if (!dl_all_finite(network->values, network->size))
        return dl_fail(DLTF_NUMERIC, "the network has non-finite weights: it cannot be used or resumed");
    char name[48];
    DL_TRY(note_activations(network, &bundle->notes));
    for (int64_t l = 0; l < network->count; l++) {
        const dl_layer *layer = &network->layers[l];
        name_tensor(name, l, 0);
        DL_TRY(dl_bundle_add_copy(bundle, name, DL_TENSOR_F32, layer->outputs, layer->inputs, layer->V));
        name_tensor(name, l, 1);
        DL_TRY(dl_bundle_add_copy(bundle, name, DL_TENSOR_F32, layer->outputs, 0, layer->b));
    }
    if (network->scale != 1)
        DL_TRY(dl_bundle_add_copy(bundle, "scale", DL_TENSOR_F32, 1, 0, &network->scale));
    if (network->classes)
        DL_TRY(dl_bundle_add_copy(bundle, "classes", DL_TENSOR_I64, dl_network_outputs(network), 0,
                                  network->classes));
done:
    return status;
}

dltf_status dl_network_to_bundle(const dl_network *network, dl_bundle *bundle) {
    dltf_status status = dl_kind_mark(bundle, DL_KIND_NETWORK);
    return status == DLTF_OK ? dl_network_pack(network, bundle) : status;
}

static bool find_activation(const char *name, size_t length, dl_activation_kind *activation) {
    const dl_activation *row;
    for (int number = 0; (row = dl_activation_find((dl_activation_kind)number)); number++)
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) {
            *activation = (dl_activation_kind)number;
            return true;
        }
    return false;
}

/* The k of "relu:100", a number of at most nine digits; 0 without. False if it is anything else. */
static bool read_k(const char *text, size_t length, int64_t *k) {
    *k = 0;
    if (length == 0)
        return true;
    for (size_t i = 1; i < length; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
        else
            *k = 10 * *k + (text[i] - '0');
    return length <= 10 && *k > 0;
}

/* Activation and k at the beginning of `names`, which is moved past them and the blank behind. */
static dltf_status read_activation(const char **names, dl_layer_view *layer) {
    size_t length = strcspn(*names, " "), name = strcspn(*names, " :");
    if (!find_activation(*names, name, &layer->activation) ||
        !read_k(*names + name, length - name, &layer->k))
        return dl_fail(DLTF_FORMAT, "metadata 'activations': unknown activation '%s'",
                       DL_PRINTABLE(*names, (int64_t)length));
    *names += length + ((*names)[length] == ' ');
    return DLTF_OK;
}

static dltf_status read_layer(const dl_bundle *bundle, int64_t index, dl_layer_view *layer) {
    char name[48];
    const void *values = NULL;
    name_tensor(name, index, 0);
    const dl_tensor *weights = dl_bundle_find(bundle, name);
    if (!weights)
        return dl_fail(DLTF_FORMAT, "tensor '%s' is missing", name);
    layer->outputs = weights->rows;
    layer->inputs = weights->cols;
    dltf_status status = dl_bundle_get(bundle, name, DL_TENSOR_F32, layer->outputs, layer->inputs, &values);
    layer->weights = values;
    name_tensor(name, index, 1);
    if (status == DLTF_OK)
        status = dl_bundle_get(bundle, name, DL_TENSOR_F32, layer->outputs, 0, &values);
    layer->bias = values;
    return status;
}

/* What is wrong with the layers is the fault of the file. */
static dltf_status blame_file(dltf_status status) {
    char text[256];
    if (status != DLTF_ARGUMENT && status != DLTF_DATA)
        return status;
    snprintf(text, sizeof text, "%s", dltf_last_error().text);
    return dl_fail(DLTF_FORMAT, "%s", text);
}

/* The optional tensors; `used` counts those found. */
static dltf_status read_extras(const dl_bundle *bundle, dl_network *network, int64_t *used) {
    const void *content = NULL;
    dltf_status status = DLTF_OK;
    if (dl_bundle_find(bundle, "scale")) {
        DL_TRY(dl_bundle_get(bundle, "scale", DL_TENSOR_F32, 1, 0, &content));
        DL_TRY(dl_network_set_scale(network, (double)*(const float *)content));
        ++*used;
    }
    if (dl_bundle_find(bundle, "classes")) {
        DL_TRY(dl_bundle_get(bundle, "classes", DL_TENSOR_I64, dl_network_outputs(network), 0, &content));
        DL_TRY(dl_network_set_classes(network, content));
        ++*used;
    }
done:
    return status;
}

static dltf_status read_layers(const dl_bundle *bundle, dl_layer_view *layers, int64_t *count) {
    dltf_status status = DLTF_OK;
    const char *names = dl_notes_get(&bundle->notes, "activations");
    if (!names)
        return dl_fail(DLTF_FORMAT, "is not a complete network: metadata 'activations' is missing");
    for (*count = 0; status == DLTF_OK && *names && *count < DL_MOST_LAYERS; ++*count) {
        status = read_activation(&names, &layers[*count]);
        if (status == DLTF_OK)
            status = read_layer(bundle, *count, &layers[*count]);
    }
    if (status == DLTF_OK && *names)
        status = dl_fail(DLTF_FORMAT, "has more than %d layers", DL_MOST_LAYERS);
    return status;
}

dltf_status dl_network_unpack(const dl_bundle *bundle, dl_network **network, int64_t *used) {
    dl_layer_view layers[DL_MOST_LAYERS];
    dl_network *made = NULL;
    int64_t count = 0;
    dltf_status status = DLTF_OK;
    *network = NULL;
    DL_TRY(read_layers(bundle, layers, &count));
    if (count == 0)
        DL_TRY(dl_fail(DLTF_FORMAT, "metadata 'activations' names no layers"));
    *used = 2 * count;
    DL_TRY(blame_file(dl_network_new(layers, count, 0, &made)));
    DL_TRY(blame_file(read_extras(bundle, made, used)));
    *network = made;
    made = NULL;
done:
    dl_network_free(made);
    return status;
}

dltf_status dl_network_from_bundle(const dl_bundle *bundle, dl_network **network) {
    int64_t used = 0;
    *network = NULL;
    dltf_status status = dl_kind_check(bundle, DL_KIND_NETWORK);
    if (status == DLTF_OK)
        status = dl_network_unpack(bundle, network, &used);
    if (status != DLTF_OK || used == bundle->count)
        return status;
    dl_network_free(*network);
    *network = NULL;
    return dl_fail(DLTF_FORMAT, "has %d tensors, but %lld belong to the network", bundle->count,
                   (long long)used);
}
