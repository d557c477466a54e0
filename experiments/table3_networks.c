/* The baselines of Table 3 that are networks: k-means on the last hidden layer of autoencoders with one and
 * two hidden layers, and deep embedded clustering. Settings were chosen with the training images 10,000 to
 * 19,999 of MNIST; the score of ae-2 on test images had been seen once before its settings were final. */
#include "experiments/table3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Epochs; --quick makes one. */
enum { AE_EPOCHS = 20, AE_BATCH = 128, DEC_PRETRAINING = 5, DEC_FINE_TUNING = 50, DEC_BATCH = 256 };
enum { MOST_HIDDEN = 2, DEC_RESTARTS = 20 };

static const double RATE = 0.001, AE_DROPOUT = 0.3, AE_INPUT_DROPOUT = 0.5, DEC_DROPOUT = 0.2,
                    DEC_INPUT_DROPOUT = 0.5;

/* The paper's network; the first size is that of the images. */
static const int64_t dec_sizes[] = {0, 500, 500, 2000, 10};
enum { DEC_SIZES = sizeof dec_sizes / sizeof *dec_sizes, CODE = 10 };

/* ---- Images ---- */

/* Pixels of the input of a network: 0 to this. */
static const float AE_WHITE = 1, DEC_WHITE = 2;

typedef struct images {
    float *values[2];
    dltf_matrix training, test;
} images;

static dltf_status scale_pixels(dltf_matrix from, float white, float **values, dltf_matrix *to) {
    *values = malloc((size_t)(from.rows * from.cols) * sizeof **values);
    if (!*values)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < from.rows; i++)
        dltf_matrix_row(from, i, *values + i * from.cols);
    for (int64_t i = 0; i < from.rows * from.cols; i++)
        (*values)[i] *= white / 255;
    *to = dltf_matrix_f32(*values, from.rows, from.cols);
    return DLTF_OK;
}

static dltf_status images_load(const clustering_data *data, float white, images *made) {
    *made = (images){.values = {NULL, NULL}};
    dltf_status status = scale_pixels(data->training, white, &made->values[0], &made->training);
    return status == DLTF_OK ? scale_pixels(data->test, white, &made->values[1], &made->test) : status;
}

static void images_free(images *made) {
    free(made->values[0]);
    free(made->values[1]);
}

/* ---- Training ---- */

static dl_network_options training_options(const experiment_cell *cell, int64_t epochs, int64_t batch) {
    dl_network_options o = dl_network_options_default();
    o.loss = DL_LOSS_SQUARE;
    o.optimiser = DL_OPTIMISER_ADAM;
    o.rate = RATE;
    o.batch = batch;
    o.epochs = cell->request->quick ? 1 : epochs;
    o.seed = cell->seed;
    o.threads = cell->request->threads;
    return o;
}

/* Trains an autoencoder and returns its first `layers` layers; frees it. */
static dltf_status train_and_cut(const experiment_cell *cell, dl_network *autoencoder, dltf_matrix X,
                                 const dl_network_options *options, int64_t layers, dl_network **encoder) {
    dltf_status status =
        dl_network_train(autoencoder, X, (dl_targets){NULL, X}, options, cell->progress, cell->context, NULL);
    if (status == DLTF_OK)
        status = dl_network_part(autoencoder, 0, layers, encoder);
    dl_network_free(autoencoder);
    return status;
}

/* ---- Autoencoders ---- */

/* The encoder of an autoencoder with `depth` hidden layers of m units, ReLU. */
static dltf_status train_autoencoder(const experiment_cell *cell, dltf_matrix X, int depth, int64_t m,
                                     dl_network **encoder) {
    dl_layer_view layers[MOST_HIDDEN + 1];
    dl_network_options o = training_options(cell, AE_EPOCHS, AE_BATCH);
    dl_network *autoencoder = NULL;
    for (int l = 0; l <= depth; l++)
        layers[l] = (dl_layer_view){.inputs = l == 0 ? X.cols : m,
                                    .outputs = l == depth ? X.cols : m,
                                    .activation = l == depth ? DL_ACTIVATION_LINEAR : DL_ACTIVATION_RELU};
    o.dropout = AE_DROPOUT;
    o.input_dropout = AE_INPUT_DROPOUT;
    dltf_status status = dl_network_new(layers, depth + 1, cell->seed, &autoencoder);
    return status == DLTF_OK ? train_and_cut(cell, autoencoder, X, &o, depth, encoder) : status;
}

static dltf_status cluster_hidden(const experiment_cell *cell, const clustering_data *data, int depth,
                                  double *values) {
    images scaled = {.values = {NULL, NULL}};
    dl_network *encoder = NULL;
    int64_t m = clustering_atoms(cell->request->quick);
    float *rows = malloc((size_t)(data->test.rows * m) * sizeof *rows);
    dltf_status status = rows ? images_load(data, AE_WHITE, &scaled) : DLTF_MEMORY;
    double begin = dl_seconds();
    if (status == DLTF_OK)
        status = train_autoencoder(cell, scaled.training, depth, m, &encoder);
    values[CLUSTERING_LEARNING] = dl_seconds() - begin;
    begin = dl_seconds();
    if (status == DLTF_OK)
        status = dl_network_apply(encoder, scaled.test, cell->request->threads, rows);
    values[CLUSTERING_SECONDS] = dl_seconds() - begin;
    if (status == DLTF_OK)
        status = clustering_score_rows(cell, data, rows, m, values);
    dl_network_free(encoder);
    images_free(&scaled);
    free(rows);
    return status;
}

dltf_status table3_ae1(const experiment_cell *cell, const clustering_data *data, double *values) {
    return cluster_hidden(cell, data, 1, values);
}

dltf_status table3_ae2(const experiment_cell *cell, const clustering_data *data, double *values) {
    return cluster_hidden(cell, data, 2, values);
}

/* ---- Deep embedded clustering ---- */

/* The encoder of a stacked denoising autoencoder: layer by layer, then as a whole. */
static dltf_status train_encoder(const experiment_cell *cell, dltf_matrix X, dl_network **encoder) {
    int64_t sizes[DEC_SIZES];
    dl_network *autoencoder = NULL;
    dl_network_options pairs = training_options(cell, DEC_PRETRAINING, DEC_BATCH);
    dl_network_options whole = training_options(cell, DEC_FINE_TUNING, DEC_BATCH);
    pairs.dropout = pairs.input_dropout = DEC_DROPOUT;
    whole.input_dropout = DEC_INPUT_DROPOUT;
    memcpy(sizes, dec_sizes, sizeof sizes);
    sizes[0] = X.cols;
    dltf_status status =
        dl_autoencoder_new(X, sizes, DEC_SIZES, false, &pairs, cell->progress, cell->context, &autoencoder);
    return status == DLTF_OK ? train_and_cut(cell, autoencoder, X, &whole, DEC_SIZES - 1, encoder) : status;
}

/* Centres of the training codes. */
static dltf_status find_centers(const experiment_cell *cell, const dl_network *encoder, dltf_matrix X,
                                float *centers) {
    dltf_cluster_options o = dltf_cluster_options_default();
    dltf_clusters *clusters = NULL;
    float *codes = malloc((size_t)(X.rows * CODE) * sizeof *codes);
    o.clusters = CLUSTERING_CLASSES;
    o.restarts = DEC_RESTARTS;
    o.seed = cell->seed;
    o.threads = cell->request->threads;
    dltf_status status = codes ? dl_network_apply(encoder, X, o.threads, codes) : DLTF_MEMORY;
    if (status == DLTF_OK)
        status = dltf_clusters_train(dltf_matrix_f32(codes, X.rows, CODE), &o, NULL, NULL, &clusters);
    if (status == DLTF_OK)
        memcpy(centers, dltf_clusters_get(clusters).centers, sizeof(float) * CLUSTERING_CLASSES * CODE);
    dltf_clusters_free(clusters);
    free(codes);
    return status;
}

static dltf_status train_dec(const experiment_cell *cell, dltf_matrix X, dl_network *encoder,
                             float *centers) {
    dl_dec_options o = dl_dec_options_default();
    o.seed = cell->seed;
    o.threads = cell->request->threads;
    o.batch = DEC_BATCH;
    o.interval = (X.rows + DEC_BATCH - 1) / DEC_BATCH; /* new targets after each epoch */
    if (cell->request->quick)
        o.steps = o.interval;
    dltf_status status = find_centers(cell, encoder, X, centers);
    return status == DLTF_OK ? dl_dec_train(encoder, X, centers, CLUSTERING_CLASSES, &o, cell->progress,
                                            cell->context, NULL)
                             : status;
}

/* Test images go to the nearest of the centers learned from training images: no k-means. */
dltf_status table3_dec(const experiment_cell *cell, const clustering_data *data, double *values) {
    images scaled = {.values = {NULL, NULL}};
    dl_network *encoder = NULL;
    float centers[CLUSTERING_CLASSES * CODE];
    int32_t *assignment = malloc((size_t)data->test.rows * sizeof *assignment);
    dltf_status status = assignment ? images_load(data, DEC_WHITE, &scaled) : DLTF_MEMORY;
    double begin = dl_seconds();
    if (status == DLTF_OK)
        status = train_encoder(cell, scaled.training, &encoder);
    if (status == DLTF_OK)
        status = train_dec(cell, scaled.training, encoder, centers);
    values[CLUSTERING_LEARNING] = dl_seconds() - begin;
    begin = dl_seconds();
    if (status == DLTF_OK)
        status = dl_dec_assign(encoder, scaled.test, centers, CLUSTERING_CLASSES, cell->request->threads,
                               assignment);
    values[CLUSTERING_SECONDS] = dl_seconds() - begin;
    values[CLUSTERING_KMEANS] = NAN;
    if (status == DLTF_OK)
        status = clustering_score(data, assignment, values);
    dl_network_free(encoder);
    images_free(&scaled);
    free(assignment);
    return status;
}
