/* GIST descriptors and labels of CIFAR-10. */
#include "experiments/cifar.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILES = 6, MAX_PATH = 4096 };

static const char *const names[FILES] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                         "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};

static bool name_file(const char *folder, int index, char path[MAX_PATH]) {
    return folder && snprintf(path, MAX_PATH, "%s/cifar10/%s", folder, names[index]) < MAX_PATH;
}

bool cifar_exists(const char *folder) {
    char path[MAX_PATH];
    for (int i = 0; i < FILES; i++)
        if (!name_file(folder, i, path) || access(path, R_OK) != 0)
            return false;
    return true;
}

dltf_status cifar_gist_load(const char *folder, int64_t threads, dltf_progress_fn progress, void *context,
                            cifar_gist *gist) {
    char room[FILES][MAX_PATH];
    const char *paths[FILES];
    dltf_gist_options options = dltf_gist_options_default();
    dltf_image_set *images = NULL;
    *gist = (cifar_gist){0};
    options.threads = threads;
    for (int i = 0; i < FILES; i++) {
        room[i][0] = '\0';
        name_file(folder, i, room[i]);
        paths[i] = room[i];
    }
    dltf_status status = dltf_image_set_open(paths, FILES, &images);
    if (status == DLTF_OK) {
        gist->count = dltf_image_set_count(images);
        gist->values = calloc((size_t)gist->count, DLTF_GIST_SIZE * sizeof *gist->values);
        gist->labels = calloc((size_t)gist->count, sizeof *gist->labels);
        status = gist->values && gist->labels ? dltf_image_set_labels(images, gist->labels) : DLTF_MEMORY;
    }
    if (status == DLTF_OK)
        status = dltf_image_set_gist(images, &options, progress, context, gist->values);
    dltf_image_set_free(images);
    return status;
}

void cifar_gist_free(cifar_gist *gist) {
    free(gist->values);
    free(gist->labels);
    *gist = (cifar_gist){0};
}
