/* Copies files through the library, for io_interop.py: `matrix IN OUT`, `codes IN OUT`, `model IN OUT`.
 * On failure prints the library's message and exits with 1. Uses only dltf.h. */
#include "dltf.h"

#include <stdio.h>
#include <string.h>

static dltf_status copy_matrix(const char *in, const char *out) {
    dltf_array *array = NULL;
    dltf_status status = dltf_array_load(in, &array);
    if (status == DLTF_OK)
        status = dltf_matrix_save(dltf_array_matrix(array), out);
    dltf_array_free(array);
    return status;
}

static dltf_status copy_codes(const char *in, const char *out) {
    dltf_codes *codes = NULL;
    dltf_status status = dltf_codes_load(in, &codes);
    if (status == DLTF_OK)
        status = dltf_codes_save(codes, out);
    dltf_codes_free(codes);
    return status;
}

static dltf_status copy_model(const char *in, const char *out) {
    dltf_model *model = NULL;
    dltf_status status = dltf_model_load(in, &model);
    if (status == DLTF_OK)
        status = dltf_model_save(model, out);
    dltf_model_free(model);
    return status;
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        dltf_status (*run)(const char *in, const char *out);
    } commands[] = {{"matrix", copy_matrix}, {"codes", copy_codes}, {"model", copy_model}};
    for (size_t i = 0; count == 4 && i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(arguments[1], commands[i].name) == 0) {
            if (commands[i].run(arguments[2], arguments[3]) == DLTF_OK)
                return 0;
            fprintf(stderr, "%s\n", dltf_message());
            return 1;
        }
    fprintf(stderr, "usage: io_helper matrix|codes|model IN OUT\n");
    return 2;
}
