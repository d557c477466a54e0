/* The scale of a layer. */
#include "base/integer.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "kernels/kernels.h"
#include "network/network.h"
#include "pretrain/pretrain.h"

#include <math.h>
#include <string.h>

enum { MOST_SAMPLES = 10000 };

static const double DEVIATION = 0.5, NORM = 1.4142135623730951;

/* Deviations below this share of the largest of the layer are rounding errors of constants. */
static const double CONSTANT = 1e-6;

/* V = factor V, and the same for the bias. */
static void multiply(dl_layer *layer, int64_t unit, double factor) {
    int64_t n = layer->inputs;
    dl_kernels_now()->combine32(layer->V + unit * n, (float)factor, 0, layer->V + unit * n, n);
    layer->b[unit] = (float)(factor * (double)layer->b[unit]);
}

static void scale_norms(dl_layer *layer) {
    for (int64_t j = 0; j < layer->outputs; j++) {
        double norm = sqrt(dl_kernels_now()->square(layer->V + j * layer->inputs, layer->inputs));
        if (norm > 0)
            multiply(layer, j, NORM / norm);
        layer->b[j] = 0;
    }
}

/* ---- Statistics of the sums ---- */

/* Rows of X spread over all of them, as floats. */
static dltf_status spread_rows(dltf_matrix X, float **rows, int64_t *count) {
    *count = dl_min(X.rows, MOST_SAMPLES);
    *rows = DL_NEW(float, *count *X.cols);
    if (!*rows)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < *count; i++)
        dltf_matrix_row(X, (int64_t)((double)i * (double)X.rows / (double)*count), *rows + i * X.cols);
    return DLTF_OK;
}

/* The sums of the layer for `count` samples: outputs of the network up to it, with the identity as
 * activation. */
static dltf_status sums_of(const dl_network *network, int64_t layer, dltf_matrix X, int64_t threads,
                           float **sums, int64_t *count) {
    dltf_status status = DLTF_OK;
    dl_network *part = NULL;
    float *rows = NULL;
    DL_TRY(dl_network_check_data(network, X));
    DL_TRY(spread_rows(X, &rows, count));
    DL_TRY(dl_network_part(network, 0, layer + 1, &part));
    part->layers[layer].activation = dl_activation_find(DL_ACTIVATION_LINEAR);
    part->layers[layer].k = 0;
    DL_TRY_NEW(*sums, *count * part->layers[layer].outputs);
    DL_TRY(dl_network_apply(part, dltf_matrix_f32(rows, *count, X.cols), threads, *sums));
done:
    dl_network_free(part);
    dl_free(rows);
    return status;
}

/* Mean and standard deviation of each column. */
static void find_moments(const float *sums, int64_t rows, int64_t cols, double *mean, double *deviation) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            mean[j] += (double)sums[i * cols + j] / (double)rows;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            double d = (double)sums[i * cols + j] - mean[j];
            deviation[j] += d * d / (double)rows;
        }
    for (int64_t j = 0; j < cols; j++)
        deviation[j] = sqrt(deviation[j]);
}

static void scale_units(dl_layer *layer, const double *mean, const double *deviation) {
    double largest = 0;
    for (int64_t j = 0; j < layer->outputs; j++)
        largest = fmax(largest, deviation[j]);
    for (int64_t j = 0; j < layer->outputs; j++) {
        layer->b[j] = (float)((double)layer->b[j] - mean[j]);
        if (deviation[j] > CONSTANT * largest)
            multiply(layer, j, DEVIATION / deviation[j]);
    }
}

static void scale_layer(dl_layer *layer, const double *mean, const double *deviation) {
    double square = 0;
    for (int64_t j = 0; j < layer->outputs; j++)
        square += (mean[j] * mean[j] + deviation[j] * deviation[j]) / (double)layer->outputs;
    for (int64_t j = 0; j < layer->outputs && square > 0; j++)
        multiply(layer, j, DEVIATION / sqrt(square));
}

static dltf_status scale_by_sums(dl_network *network, int64_t index, dltf_matrix X, bool units,
                                 int64_t threads) {
    dltf_status status = DLTF_OK;
    dl_layer *layer = &network->layers[index];
    double *mean = NULL, *deviation = NULL;
    float *sums = NULL;
    int64_t count = 0;
    DL_TRY_NEW(mean, layer->outputs);
    DL_TRY_NEW(deviation, layer->outputs);
    DL_TRY(sums_of(network, index, X, threads, &sums, &count));
    find_moments(sums, count, layer->outputs, mean, deviation);
    (units ? scale_units : scale_layer)(layer, mean, deviation);
done:
    dl_free(mean);
    dl_free(deviation);
    dl_free(sums);
    return status;
}

dltf_status dl_network_rescale(dl_network *network, int64_t layer, dltf_matrix X, dl_scaling scaling,
                               int64_t threads) {
    DL_REQUIRE(network);
    if (layer < 0 || layer >= network->count)
        return dl_fail(DLTF_ARGUMENT, "layer %lld of a network of %lld layers: out of range",
                       (long long)layer, (long long)network->count);
    switch (scaling) {
    case DL_SCALING_NORM:
        scale_norms(&network->layers[layer]);
        return DLTF_OK;
    case DL_SCALING_STANDARD:
    case DL_SCALING_RMS:
        return scale_by_sums(network, layer, X, scaling == DL_SCALING_STANDARD, threads);
    case DL_SCALING_NONE:
    case DL_SCALING_AUTO:
        break;
    }
    return DLTF_OK;
}
