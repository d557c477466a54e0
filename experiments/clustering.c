/* Images to cluster: MNIST from the folder of --data, Fashion-MNIST from Debian's package. */
#include "experiments/clustering.h"

#include <stdio.h>
#include <unistd.h>

enum { IMAGES = 10000, IMAGES_QUICK = 1000, ATOMS = 400, ATOMS_QUICK = 100 };

/* Iterations of the two learners. */
enum { POLISH = 10, KSVD_ITERATIONS = 20 };

const char *const clustering_metrics[] = {"acc", "nmi", "seconds", "kmeans_seconds", "learning_seconds",
                                          NULL};

static const char *const sets[CLUSTERING_SETS] = {"mnist", "fashion-mnist"};
static const char FASHION_FOLDER[] = "/usr/share/datasets/fashion-mnist";

enum { TRAINING_IMAGES, TEST_IMAGES, TEST_LABELS, FILES };
static const char *const files[FILES] = {"train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz",
                                         "t10k-labels-idx1-ubyte.gz"};

const char *clustering_set_name(int set) {
    return sets[set];
}

int64_t clustering_atoms(bool quick) {
    return quick ? ATOMS_QUICK : ATOMS;
}

/* ---- Files ---- */

/* False if there is no folder to look in. Fashion-MNIST may also be in the folder of --data. */
static bool name_file(int set, int file, const experiment_request *request, char *path, size_t size) {
    if (request->data &&
        snprintf(path, size, "%s/%s/%s", request->data, sets[set], files[file]) < (int)size &&
        access(path, R_OK) == 0)
        return true;
    return set == 1 && snprintf(path, size, "%s/%s", FASHION_FOLDER, files[file]) < (int)size &&
           access(path, R_OK) == 0;
}

bool clustering_set_exists(int set, const experiment_request *request) {
    char path[4096];
    for (int file = 0; file < FILES; file++)
        if (!name_file(set, file, request, path, sizeof path))
            return false;
    return true;
}

const char *clustering_notice(const experiment_request *request) {
    static char text[512];
    size_t used = 0;
    text[0] = '\0';
    for (int set = 0; set < CLUSTERING_SETS && used < sizeof text; set++)
        if (!clustering_set_exists(set, request))
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "%s%s is skipped: get it with 'scripts/fetch-data %s DIR', then add "
                                     "--data DIR.",
                                     used > 0 ? " " : "", sets[set], sets[set]);
    return used > 0 ? text : NULL;
}

static dltf_status load_images(int set, int file, const experiment_request *request, dltf_array **array,
                               dltf_matrix *images) {
    char path[4096];
    int64_t most = request->quick ? IMAGES_QUICK : IMAGES;
    name_file(set, file, request, path, sizeof path);
    dltf_status status = dltf_array_load(path, array);
    if (status != DLTF_OK)
        return status;
    *images = dltf_array_matrix(*array);
    images->rows = images->rows < most ? images->rows : most;
    return DLTF_OK;
}

dltf_status clustering_load(int set, const experiment_request *request, clustering_data *data) {
    char path[4096];
    *data = (clustering_data){.labels = NULL};
    dltf_status status = load_images(set, TRAINING_IMAGES, request, &data->files[0], &data->training);
    if (status == DLTF_OK)
        status = load_images(set, TEST_IMAGES, request, &data->files[1], &data->test);
    name_file(set, TEST_LABELS, request, path, sizeof path);
    if (status == DLTF_OK)
        status = dltf_labels_load(path, &data->labels);
    return status;
}

void clustering_free(clustering_data *data) {
    dltf_array_free(data->files[0]);
    dltf_array_free(data->files[1]);
    dltf_labels_free(data->labels);
}

void clustering_protocol(bool quick, json_t *protocol) {
    int64_t images = quick ? IMAGES_QUICK : IMAGES;
    json_object_set_new(protocol, "training_images", json_integer(images));
    json_object_set_new(protocol, "test_images", json_integer(images));
    json_object_set_new(protocol, "m", json_integer(clustering_atoms(quick)));
    json_object_set_new(protocol, "polish_iterations", json_integer(POLISH));
    json_object_set_new(protocol, "ksvd_iterations", json_integer(KSVD_ITERATIONS));
    json_object_set_new(protocol, "acc",
                        json_string("test images, best one-to-one matching of clusters and labels"));
    json_object_set_new(protocol, "nmi", json_string("divided by the arithmetic mean of the entropies"));
    json_object_set_new(protocol, "seconds",
                        json_string("features of all test images; kmeans_seconds: clustering them, 10 "
                                    "restarts. The paper states a testing time that fits the features "
                                    "alone"));
}

/* ---- Scores ---- */

dltf_status clustering_score(const clustering_data *data, const int32_t *assignment, double *values) {
    dltf_agreement found;
    int64_t count = 0, samples = data->test.rows;
    const int64_t *labels = dltf_labels_get(data->labels, &count);
    dltf_status status =
        count < samples ? DLTF_FORMAT : dltf_partitions_compare(assignment, labels, samples, &found);
    if (status == DLTF_OK) {
        values[CLUSTERING_ACC] = found.accuracy;
        values[CLUSTERING_NMI] = found.nmi;
    }
    return status;
}

static dltf_cluster_options kmeans_options(const experiment_cell *cell) {
    dltf_cluster_options options = dltf_cluster_options_default();
    options.clusters = CLUSTERING_CLASSES;
    options.seed = cell->seed;
    options.threads = cell->request->threads;
    return options;
}

static dltf_status finish(const clustering_data *data, dltf_status status, double begin,
                          dltf_clusters *clusters, double *values) {
    values[CLUSTERING_KMEANS] = dl_seconds() - begin;
    if (status == DLTF_OK)
        status = clustering_score(data, dltf_clusters_get(clusters).assignment, values);
    dltf_clusters_free(clusters);
    return status;
}

dltf_status clustering_score_codes(const experiment_cell *cell, const clustering_data *data,
                                   const dltf_codes *codes, double *values) {
    dltf_cluster_options options = kmeans_options(cell);
    dltf_clusters *clusters = NULL;
    double begin = dl_seconds();
    dltf_status status = dltf_clusters_train_codes(codes, &options, cell->progress, cell->context, &clusters);
    return finish(data, status, begin, clusters, values);
}

dltf_status clustering_score_rows(const experiment_cell *cell, const clustering_data *data, const float *rows,
                                  int64_t d, double *values) {
    dltf_cluster_options options = kmeans_options(cell);
    dltf_clusters *clusters = NULL;
    double begin = dl_seconds();
    dltf_matrix X = dltf_matrix_f32(rows, data->test.rows, d);
    dltf_status status = dltf_clusters_train(X, &options, cell->progress, cell->context, &clusters);
    return finish(data, status, begin, clusters, values);
}

/* ---- Dictionaries ---- */

dltf_train_options clustering_options(const experiment_cell *cell, int64_t k, bool polished) {
    dltf_train_options options = dltf_train_options_default();
    options.m = clustering_atoms(cell->request->quick);
    options.k = k;
    options.seed = cell->seed;
    options.threads = cell->request->threads;
    options.unit_norm = true;
    if (polished) {
        options.encoder = DLTF_ENCODER_DUAL;
        options.steps = 0;
        options.polish = POLISH;
    } else {
        options.method = DLTF_METHOD_KSVD;
        options.update = DLTF_UPDATE_EXACT;
        options.encoder = DLTF_ENCODER_TIED;
        options.iterations = KSVD_ITERATIONS;
    }
    return options;
}

/* The same dictionary without an encoder of its own. */
static dltf_status tie(dltf_model **model) {
    dltf_model_view parts = dltf_model_get(*model);
    dltf_model *tied = NULL;
    parts.encoder = NULL;
    parts.bias = NULL;
    dltf_status status = dltf_model_new(&parts, &tied);
    dltf_model_free(*model);
    *model = tied;
    return status;
}

dltf_status clustering_codes(const experiment_cell *cell, const clustering_data *data,
                             const dltf_train_options *options, const dltf_encode_options *encoding,
                             double *values) {
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    double begin = dl_seconds();
    dltf_status status = dltf_train(data->training, options, cell->progress, cell->context, &model);
    if (status == DLTF_OK)
        status = tie(&model);
    values[CLUSTERING_LEARNING] = dl_seconds() - begin;
    begin = dl_seconds();
    if (status == DLTF_OK)
        status = dltf_encode(model, data->test, encoding, cell->progress, cell->context, &codes);
    values[CLUSTERING_SECONDS] = dl_seconds() - begin;
    if (status == DLTF_OK)
        status = clustering_score_codes(cell, data, codes, values);
    dltf_codes_free(codes);
    dltf_model_free(model);
    return status;
}
