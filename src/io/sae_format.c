/* The table of formats of sparse autoencoders. */
#include "io/sae_format.h"

#include "base/memory.h"
#include "base/shown.h"

#include <stdio.h>
#include <string.h>

static const dl_sae_format formats[] = {
    {.name = "saelens",
     .weights = "sae_weights.safetensors",
     .parse = dl_saelens_parse,
     .format = dl_saelens_format,
     .normalises = true,
     .selects = true,
     .thresholds = true},
    {.name = "sparsify",
     .weights = "sae.safetensors",
     .by_atom = true,
     .parse = dl_sparsify_parse,
     .format = dl_sparsify_format,
     .selects = true},
    {.name = "gemma-scope", .weights = "params.npz", .zipped = true, .thresholds = true},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const dl_sae_format *dl_sae_format_at(int index) {
    return index >= 0 && index < FORMATS ? &formats[index] : NULL;
}

dltf_status dl_sae_format_find(const char *name, const dl_sae_format **format) {
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0) {
            *format = &formats[i];
            return DLTF_OK;
        }
    return dl_fail_option(DLTF_ARGUMENT, "format",
                          "\"%s\" is unknown: expected saelens, sparsify or gemma-scope",
                          DL_PRINTABLE(name, (int64_t)strlen(name)));
}

char *dl_sae_path(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = dl_alloc((int64_t)size, 1);
    const char *slash = *folder && folder[strlen(folder) - 1] == '/' ? "" : "/";
    if (path)
        snprintf(path, size, "%s%s%s", folder, slash, name);
    return path;
}
