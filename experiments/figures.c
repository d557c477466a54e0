/* Figures are text. */
#include "experiments/figures.h"

#include <stdio.h>
#include <stdlib.h>

dltf_status figures_save(char *picture, const char *folder, const char *name) {
    char path[4096];
    dltf_status status = picture ? DLTF_OK : DLTF_MEMORY;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        status = DLTF_ARGUMENT;
    if (status == DLTF_OK)
        status = dl_text_save(picture, path);
    free(picture);
    return status;
}
