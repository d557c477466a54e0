/* Images with labels, or synthetic samples whose class is that of their largest entry. */
#include "experiments/table6_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 60000, QUICK_SAMPLES = 1800, QUICK_TEST = 600, VALIDATION_SHARE = 6, CLASSES = 10 };

static const char *const sets[TABLE6_SETS] = {"mnist", "synthetic"};

enum { IMAGES, LABELS };
static const char *const files[2][2] = {{"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"},
                                        {"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"}};

const char *table6_set_name(int set) {
    return sets[set];
}

int64_t table6_samples(bool quick) {
    return quick ? QUICK_SAMPLES : SAMPLES;
}

/* ---- Files ---- */

static bool name_file(const experiment_request *request, bool test, int content, char *path, size_t size) {
    return request->data && snprintf(path, size, "%s/%s/%s", request->data, sets[TABLE6_MNIST],
                                     files[test][content]) < (int)size;
}

bool table6_set_exists(int set, const experiment_request *request) {
    char path[4096];
    bool found = true;
    for (int i = 0; i < 4 && found; i++)
        found = name_file(request, i / 2, i % 2, path, sizeof path) && access(path, R_OK) == 0;
    return set == TABLE6_MNIST ? found : !found && request->quick;
}

const char *table6_notice(const experiment_request *request) {
    if (table6_set_exists(TABLE6_MNIST, request))
        return NULL;
    return request->quick
               ? "mnist is replaced by synthetic samples: get it with 'scripts/fetch-data mnist DIR', then "
                 "add --data "
                 "DIR."
               : "mnist is skipped: get it with 'scripts/fetch-data mnist DIR', then add --data DIR.";
}

/* `count` images, or all if there are fewer, and their labels. */
static dltf_status load_part(const experiment_request *request, bool test, int64_t count, dltf_array **array,
                             dltf_matrix *X, int32_t **numbers) {
    char path[4096];
    dltf_labels *labels = NULL;
    int64_t found = 0, classes[CLASSES];
    for (int i = 0; i < CLASSES; i++)
        classes[i] = i;
    name_file(request, test, IMAGES, path, sizeof path);
    dltf_status status = dltf_array_load(path, array);
    name_file(request, test, LABELS, path, sizeof path);
    if (status == DLTF_OK)
        status = dltf_labels_load(path, &labels);
    if (status == DLTF_OK) {
        const int64_t *values = dltf_labels_get(labels, &found);
        *X = dltf_array_matrix(*array);
        X->rows = X->rows < count ? X->rows : count;
        X->rows = X->rows < found ? X->rows : found;
        *numbers = malloc((size_t)X->rows * sizeof **numbers);
        status = *numbers ? dl_classes_number(values, X->rows, classes, CLASSES, *numbers) : DLTF_MEMORY;
    }
    dltf_labels_free(labels);
    return status;
}

/* Validation does not read the test images. */
static dltf_status load_mnist(const experiment_request *request, table6_data *data) {
    int64_t test = request->quick ? QUICK_TEST : SAMPLES;
    dltf_status status = load_part(request, false, table6_samples(request->quick), &data->files[0],
                                   &data->training, &data->training_labels);
    if (status == DLTF_OK && !request->validation)
        status = load_part(request, true, test, &data->files[1], &data->test, &data->test_labels);
    return status;
}

/* ---- Synthetic samples ---- */

static int32_t *label(const dltf_codes *codes) {
    dltf_csr Z = dltf_codes_csr(codes);
    int32_t *labels = malloc((size_t)Z.rows * sizeof *labels);
    for (int64_t i = 0; labels && i < Z.rows; i++) {
        int64_t best = Z.indptr[i];
        for (int64_t e = best + 1; e < Z.indptr[i + 1]; e++)
            if (Z.values[e] > Z.values[best])
                best = e;
        labels[i] = Z.indices[best] % CLASSES;
    }
    return labels;
}

static dltf_status make_synthetic(table6_data *data) {
    dltf_synthetic_options spec = {.size = sizeof(dltf_synthetic_options),
                                   .n = 64,
                                   .m = 40,
                                   .k = 3,
                                   .samples = QUICK_SAMPLES,
                                   .noise = 0.05,
                                   .entries = DLTF_ENTRIES_UNIFORM};
    dltf_status status = dltf_synthetic_new(&spec, NULL, NULL, &data->problem);
    if (status != DLTF_OK)
        return status;
    data->training = dltf_synthetic_samples(data->problem, false);
    data->test = dltf_synthetic_samples(data->problem, true);
    data->training_labels = label(dltf_synthetic_codes(data->problem, false));
    data->test_labels = label(dltf_synthetic_codes(data->problem, true));
    return data->training_labels && data->test_labels ? DLTF_OK : DLTF_MEMORY;
}

/* ---- Both ---- */

dltf_matrix table6_rows(dltf_matrix X, int64_t first, int64_t count) {
    static const size_t sizes[] = {
        [DLTF_F32] = sizeof(float), [DLTF_F64] = sizeof(double), [DLTF_U8] = sizeof(uint8_t)};
    X.data = (const char *)X.data + (size_t)(first * X.row_stride) * sizes[X.type];
    X.rows = count;
    return X;
}

/* The last sixth of the training samples becomes the test samples. */
static dltf_status split(table6_data *data) {
    int64_t held = data->training.rows / VALIDATION_SHARE, kept = data->training.rows - held;
    int32_t *labels = malloc((size_t)(held + 1) * sizeof *labels);
    if (!labels)
        return DLTF_MEMORY;
    memcpy(labels, data->training_labels + kept, (size_t)held * sizeof *labels);
    free(data->test_labels);
    data->test_labels = labels;
    data->test = table6_rows(data->training, kept, held);
    data->training = table6_rows(data->training, 0, kept);
    return DLTF_OK;
}

dltf_status table6_load(int set, const experiment_request *request, table6_data *data) {
    *data = (table6_data){.problem = NULL};
    dltf_status status = set == TABLE6_MNIST ? load_mnist(request, data) : make_synthetic(data);
    return status == DLTF_OK && request->validation ? split(data) : status;
}

void table6_free(table6_data *data) {
    dltf_array_free(data->files[0]);
    dltf_array_free(data->files[1]);
    dltf_synthetic_free(data->problem);
    free(data->training_labels);
    free(data->test_labels);
}
