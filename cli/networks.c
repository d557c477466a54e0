/* What the commands for networks share. */
#include "cli/networks.h"

#include "cli/files.h"
#include "cli/output.h"

#include <unistd.h>

int networks_load(const char *path, dl_network **network) {
    if (dl_format_extension(DL_CONTENT_MATRIX, DL_READ, path) &&
        !dl_format_extension(DL_CONTENT_MODEL, DL_READ, path) && access(path, F_OK) == 0)
        return usage_error("%s: is a data file; expected a network", path);
    dltf_status status = dl_network_load(path, network);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

int networks_load_classifier(const char *path, dl_network **network) {
    int code = networks_load(path, network);
    if (code == EXIT_OK && !dl_network_classes(*network))
        code = failure(
            "%s: is a network without classes; to make a classifier of it, run 'dltf classify train DATA "
            "--labels FILE --init %s'",
            path, files_quoted(path));
    return code;
}

int networks_load_labels(const char *path, const char *data, int64_t samples, dltf_labels **labels) {
    int64_t count = 0;
    dltf_status status = dltf_labels_load(path, labels);
    if (status != DLTF_OK)
        return library_failure(status);
    dltf_labels_get(*labels, &count);
    if (count == samples)
        return EXIT_OK;
    return failure("%s: %s, but %s has %s", path, counted(count, "label"), data, counted(samples, "sample"));
}

dltf_status networks_save(const void *network, const char *path) {
    return dl_network_save(network, path);
}

int networks_reserve(const dl_network *network, const char *path, dl_reservation **space) {
    int64_t floats = 0;
    for (int64_t l = 0; l < dl_network_layers(network); l++) {
        dl_layer_view layer = dl_network_layer(network, l);
        floats += layer.outputs * (layer.inputs + 1);
    }
    return files_reserve(path, floats, space);
}

int64_t networks_outputs(const dl_network *network) {
    return dl_network_layer(network, dl_network_layers(network) - 1).outputs;
}

void networks_report_sizes(facts *f, const dl_network *network) {
    char text[512];
    json_t *sizes = json_array();
    int64_t inputs = dl_network_layer(network, 0).inputs;
    size_t used = (size_t)snprintf(text, sizeof text, "%lld", (long long)inputs);
    json_array_append_new(sizes, json_integer(inputs));
    for (int64_t l = 0; l < dl_network_layers(network); l++) {
        int64_t outputs = dl_network_layer(network, l).outputs;
        json_array_append_new(sizes, json_integer(outputs));
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "-%lld", (long long)outputs);
    }
    facts_json(f, "sizes", sizes);
    facts_text(f, NULL, "network", text);
}
