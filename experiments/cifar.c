/* GIST descriptors and labels of CIFAR-10. */
#include "experiments/cifar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 6, MAX_PATH = 4096, SIDE = 32 };

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

/* Turns the progress of one file into that of all of them. */
typedef struct share {
    dltf_progress_fn progress;
    void *context;
    int64_t before, total; /* images of earlier files, of all files */
} share;

static int report(void *context, const dltf_progress *progress) {
    const share *s = context;
    dltf_progress all = *progress;
    all.done += s->before;
    all.total = s->total;
    return s->progress ? s->progress(s->context, &all) : 0;
}

static dltf_status copy_labels(const char *path, int64_t *to) {
    dltf_labels *labels = NULL;
    int64_t count = 0;
    dltf_status status = dltf_labels_load(path, &labels);
    if (status != DLTF_OK)
        return status;
    const int64_t *values = dltf_labels_get(labels, &count);
    memcpy(to, values, (size_t)count * sizeof *to);
    dltf_labels_free(labels);
    return DLTF_OK;
}

static dltf_status open_files(const char *folder, dltf_array *files[FILES], int64_t *count) {
    dltf_status status = DLTF_OK;
    char path[MAX_PATH] = "";
    *count = 0;
    for (int i = 0; i < FILES && status == DLTF_OK; i++) {
        name_file(folder, i, path);
        status = dltf_array_load(path, &files[i]);
        if (status == DLTF_OK)
            *count += dltf_array_matrix(files[i]).rows;
    }
    return status;
}

static dltf_status describe(const char *folder, dltf_array *const files[FILES], int64_t threads, share *all,
                            cifar_gist *gist) {
    dltf_gist_options options = dltf_gist_options_default();
    dltf_status status = DLTF_OK;
    char path[MAX_PATH] = "";
    options.threads = threads;
    for (int i = 0; i < FILES && status == DLTF_OK; i++) {
        dltf_matrix images = dltf_array_matrix(files[i]);
        name_file(folder, i, path);
        status = copy_labels(path, gist->labels + all->before);
        if (status == DLTF_OK)
            status = dltf_gist(images, SIDE, SIDE, &options, report, all,
                               gist->values + all->before * DLTF_GIST_SIZE);
        all->before += images.rows;
    }
    return status;
}

dltf_status cifar_gist_load(const char *folder, int64_t threads, dltf_progress_fn progress, void *context,
                            cifar_gist *gist) {
    dltf_array *files[FILES] = {NULL};
    *gist = (cifar_gist){0};
    dltf_status status = open_files(folder, files, &gist->count);
    if (status == DLTF_OK) {
        share all = {progress, context, 0, gist->count};
        gist->values = calloc((size_t)gist->count, DLTF_GIST_SIZE * sizeof *gist->values);
        gist->labels = calloc((size_t)gist->count, sizeof *gist->labels);
        status = gist->values && gist->labels ? describe(folder, files, threads, &all, gist) : DLTF_MEMORY;
    }
    for (int i = 0; i < FILES; i++)
        dltf_array_free(files[i]);
    return status;
}

void cifar_gist_free(cifar_gist *gist) {
    free(gist->values);
    free(gist->labels);
}
