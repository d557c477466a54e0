/* Table 3 of the paper: thresholded features with k = 30 against other features to cluster. `km`: the first
 * 400 principal components; `dltf-landmark`, not in the paper: landmark codes, one product and a small linear
 * map. */
#include "experiments/table3.h"

#include <stdlib.h>
#include <string.h>

enum { K = 30 };

typedef dltf_status (*table3_method)(const experiment_cell *cell, const clustering_data *data,
                                     double *values);

#define NAME(name, function, paper) name,
#define FUNCTION(name, function, paper) function,
#define PAPER(name, function, paper) {name, 1, (const double[]){paper}},
static const char *const methods[] = {TABLE3_METHODS(NAME) NULL};
static const table3_method functions[] = {TABLE3_METHODS(FUNCTION)};
static const experiment_paper paper[] = {TABLE3_METHODS(PAPER){NULL, 0, NULL}};
#undef NAME
#undef FUNCTION
#undef PAPER

static void describe(bool quick, int setting, json_t *row) {
    (void)quick;
    json_object_set_new(row, "data", json_string(clustering_set_name(setting)));
}

static void protocol(bool quick, json_t *object) {
    clustering_protocol(quick, object);
    json_object_set_new(object, "paper_nmi",
                        json_string("dltf-tf .550, km .483, ae-1 .501, ae-2 .531, dec .738"));
}

static bool applies(const experiment_request *request, const char *method, int setting) {
    (void)method;
    return clustering_set_exists(setting, request);
}

/* ---- Methods ---- */

dltf_status table3_feature(const experiment_cell *cell, const clustering_data *data, double *values) {
    dltf_train_options options = clustering_options(cell, K, true);
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = cell->request->threads;
    return clustering_codes(cell, data, &options, &encoding, values);
}

dltf_status table3_landmark(const experiment_cell *cell, const clustering_data *data, double *values) {
    dltf_landmark_options options = dltf_landmark_options_default();
    dltf_landmarks *landmarks = NULL;
    options.m = clustering_atoms(cell->request->quick);
    options.seed = cell->seed;
    options.threads = cell->request->threads;
    float *rows = malloc((size_t)(data->test.rows * options.d) * sizeof *rows);
    if (!rows)
        return DLTF_MEMORY;
    double begin = dl_seconds();
    dltf_status status =
        dltf_landmarks_train(data->training, &options, cell->progress, cell->context, &landmarks);
    values[CLUSTERING_LEARNING] = dl_seconds() - begin;
    begin = dl_seconds();
    if (status == DLTF_OK)
        status = dltf_landmarks_apply(landmarks, data->test, options.threads, rows);
    values[CLUSTERING_SECONDS] = dl_seconds() - begin;
    if (status == DLTF_OK)
        status = clustering_score_rows(cell, data, rows, options.d, values);
    dltf_landmarks_free(landmarks);
    free(rows);
    return status;
}

dltf_status table3_km(const experiment_cell *cell, const clustering_data *data, double *values) {
    dltf_pca *pca = NULL;
    int64_t d = clustering_atoms(cell->request->quick), threads = cell->request->threads;
    float *rows = malloc((size_t)(data->test.rows * d) * sizeof *rows);
    if (!rows)
        return DLTF_MEMORY;
    double begin = dl_seconds();
    dltf_status status = dltf_pca_train(data->training, d, threads, &pca);
    values[CLUSTERING_LEARNING] = dl_seconds() - begin;
    begin = dl_seconds();
    if (status == DLTF_OK)
        status = dltf_pca_apply(pca, data->test, threads, rows);
    values[CLUSTERING_SECONDS] = dl_seconds() - begin;
    if (status == DLTF_OK)
        status = clustering_score_rows(cell, data, rows, d, values);
    dltf_pca_free(pca);
    free(rows);
    return status;
}

static dltf_status measure(const experiment_cell *cell, double *values) {
    clustering_data data;
    int method = 0;
    while (strcmp(methods[method], cell->method) != 0)
        method++;
    dltf_status status = clustering_load(cell->setting, cell->request, &data);
    if (status == DLTF_OK)
        status = functions[method](cell, &data, values);
    clustering_free(&data);
    return status;
}

const experiment experiment_table3 = {
    .name = "table3",
    .summary = "clustering of images: thresholded features against other features",
    .details = "As table2, with k = 30.",
    .methods = methods,
    .metrics = clustering_metrics,
    .larger_is_better = true,
    .settings = CLUSTERING_SETS,
    .describe = describe,
    .protocol = protocol,
    .paper = paper,
    .measure = measure,
    .applies = applies,
    .notice = clustering_notice,
};
