/* Fashion-MNIST from Debian's package, MNIST, CIFAR-10 and photographs from the folder of --data, and a
 * synthetic problem. Training patches come from the upper three quarters of each photograph and held-out ones
 * from the rest, so that they share no pixel. */
#include "experiments/learners_data.h"

#include "experiments/cifar.h"
#include "experiments/test_image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRAINING = 60000, TEST = 5000, TRAINING_QUICK = 2000, TEST_QUICK = 500 };

typedef enum kind { IDX, GIST, PATCHES, SYNTHETIC } kind;

static const struct set {
    const char *name;
    kind kind;
    int64_t columns;    /* n */
    int64_t side;       /* of a patch */
    const char *folder; /* IDX; NULL: a folder of --data */
} sets[LEARNERS_SETS] = {
    {"fashion-mnist", IDX, 784, 0, "/usr/share/datasets/fashion-mnist"},
    {"mnist", IDX, 784, 0, NULL},
    {"cifar10-gist", GIST, DLTF_GIST_SIZE, 0, NULL},
    {"patches-8x8", PATCHES, 64, 8, NULL},
    {"patches-12x12", PATCHES, 144, 12, NULL},
    {"synthetic", SYNTHETIC, 64, 0, NULL},
};

enum { PHOTOGRAPHS = 5 };
static const char *const photographs[PHOTOGRAPHS] = {"house", "barbara", "boat", "cameraman", "peppers"};

const char *learners_set_name(int set) {
    return sets[set].name;
}

int64_t learners_set_columns(int set) {
    return sets[set].columns;
}

bool learners_set_centered(int set) {
    return sets[set].kind == IDX || sets[set].kind == GIST;
}

static int64_t sample_count(bool quick, bool test) {
    if (test)
        return quick ? TEST_QUICK : TEST;
    return quick ? TRAINING_QUICK : TRAINING;
}

void learners_data_protocol(bool quick, json_t *object) {
    json_object_set_new(object, "training_samples", json_integer(sample_count(quick, false)));
    json_object_set_new(object, "held_out_samples", json_integer(sample_count(quick, true)));
    json_object_set_new(object, "images", json_string("pixels, minus the mean image of the training set"));
    json_object_set_new(object, "gist",
                        json_string("512 GIST descriptors of each CIFAR-10 image, minus their mean; "
                                    "50,000 training samples"));
    json_object_set_new(object, "patches",
                        json_string("each minus its mean; training: upper three quarters of house, barbara, "
                                    "boat, cameraman and peppers; held out: the lowest quarter"));
    json_object_set_new(object, "synthetic", json_string("n = 64, m = 128, k = 8, codes of ones, noise 0.1"));
}

/* ---- Image files ---- */

/* The file with the training or test images; false if there is no folder to look in. */
static bool name_file(int set, const char *folder, bool test, char *path, size_t size) {
    const char *name = test ? "t10k-images-idx3-ubyte.gz" : "train-images-idx3-ubyte.gz";
    if (sets[set].folder)
        return snprintf(path, size, "%s/%s", sets[set].folder, name) < (int)size;
    return folder && snprintf(path, size, "%s/%s/%s", folder, sets[set].name, name) < (int)size;
}

static dltf_status load_file(int set, const experiment_request *request, bool test, dltf_array **array,
                             dltf_matrix *samples) {
    char path[4096];
    name_file(set, request->data, test, path, sizeof path);
    dltf_status status = dltf_array_load(path, array);
    if (status != DLTF_OK)
        return status;
    *samples = dltf_array_matrix(*array);
    int64_t most = sample_count(request->quick, test);
    samples->rows = samples->rows < most ? samples->rows : most;
    return DLTF_OK;
}

/* ---- Descriptors ---- */

/* Computed once and kept until the program ends, since it takes as long as learning from them. */
static dltf_status load_descriptors(const experiment_request *request, bool test, dltf_matrix *samples) {
    static cifar_gist gist;
    if (!gist.values) {
        dltf_status status = cifar_gist_load(request->data, request->threads, NULL, NULL, &gist);
        if (status != DLTF_OK) {
            cifar_gist_free(&gist);
            return status;
        }
    }
    int64_t training = gist.count / 6 * 5; /* the sixth file holds the test images */
    int64_t first = test ? training : 0, rest = test ? gist.count - training : training;
    int64_t most = sample_count(request->quick, test);
    *samples =
        dltf_matrix_f32(gist.values + first * DLTF_GIST_SIZE, rest < most ? rest : most, DLTF_GIST_SIZE);
    return DLTF_OK;
}

/* ---- Patches ---- */

static void cut_patch(dltf_image_view image, int64_t side, int64_t x, int64_t y, float *out) {
    double sum = 0;
    for (int64_t i = 0; i < side * side; i++) {
        out[i] = image.planes[(y + i / side) * image.width + x + i % side];
        sum += (double)out[i];
    }
    for (int64_t i = 0; i < side * side; i++)
        out[i] -= (float)(sum / (double)(side * side));
}

/* `count` patches of the training or held-out part of an image. Multiples of the golden ratio spread places
 * evenly without repeating them. */
static dltf_status cut_patches(dltf_image_view image, int64_t side, bool test, int64_t count, float *out) {
    const double golden = 0.6180339887498949;
    int64_t border = image.height * 3 / 4, top = test ? border : 0;
    int64_t across = image.width - side + 1, down = (test ? image.height - border : border) - side + 1;
    if (across < 1 || down < 1)
        return DLTF_ARGUMENT;
    for (int64_t i = 0; i < count; i++) {
        int64_t place = (int64_t)(fmod((double)(i + 1) * golden, 1) * (double)(across * down));
        cut_patch(image, side, place % across, top + place / across, out + i * side * side);
    }
    return DLTF_OK;
}

static dltf_status load_patches(int set, const experiment_request *request, bool test, float **patches,
                                dltf_matrix *samples) {
    int64_t side = sets[set].side, n = sets[set].columns;
    int64_t each = sample_count(request->quick, test) / PHOTOGRAPHS;
    dltf_status status = DLTF_OK;
    *patches = malloc((size_t)(PHOTOGRAPHS * each * n) * sizeof **patches);
    if (!*patches)
        return DLTF_MEMORY;
    for (int i = 0; i < PHOTOGRAPHS && status == DLTF_OK; i++) {
        dltf_image *image = NULL;
        status = test_image_load(request->data, photographs[i], &image);
        if (status == DLTF_OK)
            status = cut_patches(dltf_image_get(image), side, test, each, *patches + i * each * n);
        dltf_image_free(image);
    }
    *samples = dltf_matrix_f32(*patches, PHOTOGRAPHS * each, n);
    return status;
}

/* ---- Synthetic samples ---- */

static dltf_status load_synthetic(const experiment_request *request, int64_t seed, learners_data *data) {
    dltf_synthetic_options spec = {.size = sizeof(dltf_synthetic_options),
                                   .n = 64,
                                   .m = 128,
                                   .k = 8,
                                   .samples = sample_count(request->quick, false),
                                   .noise = 0.1,
                                   .seed = seed,
                                   .entries = DLTF_ENTRIES_ONES};
    dltf_status status = dltf_synthetic_new(&spec, NULL, NULL, &data->problem);
    if (status != DLTF_OK)
        return status;
    data->training = dltf_synthetic_samples(data->problem, false);
    data->test = dltf_synthetic_samples(data->problem, true);
    data->test.rows = sample_count(request->quick, true);
    return DLTF_OK;
}

/* ---- All sets ---- */

static bool photographs_exist(const char *folder) {
    bool all = true;
    for (int i = 0; i < PHOTOGRAPHS; i++)
        all = all && test_image_exists(folder, photographs[i]);
    return all;
}

static bool files_exist(int set, const char *folder) {
    char path[4096];
    for (int test = 0; test < 2; test++)
        if (!name_file(set, folder, test, path, sizeof path) || access(path, R_OK) != 0)
            return false;
    return true;
}

bool learners_set_exists(int set, const char *folder) {
    switch (sets[set].kind) {
    case IDX:
        return files_exist(set, folder);
    case GIST:
        return cifar_exists(folder);
    case PATCHES:
        return photographs_exist(folder);
    case SYNTHETIC:
        break;
    }
    return true;
}

const char *learners_data_notice(const char *folder) {
    static char text[512];
    text[0] = '\0';
    for (int set = 0; set < LEARNERS_SETS; set++) {
        size_t used = strlen(text);
        if (!learners_set_exists(set, folder))
            snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "Left out: ", sets[set].name);
    }
    size_t used = strlen(text);
    if (used == 0)
        return NULL;
    snprintf(text + used, sizeof text - used,
             ". Fashion-MNIST is the package dataset-fashion-mnist; --data (or DLTF_DATA) must name a folder "
             "with mnist/*.gz for MNIST, cifar10/*.bin for CIFAR-10 and images/*.png (house, barbara, boat, "
             "cameraman, peppers) for patches.");
    return text;
}

dltf_status learners_data_load(int set, const experiment_request *request, int64_t seed,
                               learners_data *data) {
    if (sets[set].kind == SYNTHETIC)
        return load_synthetic(request, seed, data);
    dltf_status status = DLTF_OK;
    for (int test = 0; test < 2 && status == DLTF_OK; test++) {
        dltf_matrix *samples = test ? &data->test : &data->training;
        if (sets[set].kind == IDX)
            status = load_file(set, request, test, &data->files[test], samples);
        else if (sets[set].kind == GIST)
            status = load_descriptors(request, test, samples);
        else
            status = load_patches(set, request, test, &data->patches[test], samples);
    }
    return status;
}

void learners_data_free(learners_data *data) {
    for (int i = 0; i < 2; i++) {
        dltf_array_free(data->files[i]);
        free(data->patches[i]);
    }
    dltf_synthetic_free(data->problem);
}
