/* Pre-training, layer by layer: each layer is made from the outputs of those before. */
#include "pretrain/pretrain.h"

#include "base/finite.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "data/matrix.h"
#include "network/network.h"

#include <float.h>
#include <math.h>

/* Progress of all layers as that of one task; each counts the same. */
enum { PARTS = 1000 };

typedef struct pretraining {
    const dl_start *start;
    dl_pretrain_options options;
    const int64_t *sizes, *k;
    int64_t count;
    dl_network *layers[DL_MOST_LAYERS];
    float *inputs; /* of the next layer: samples x width */
    int64_t samples, width;
    dl_meter meter;
    int64_t layer; /* the current one */
} pretraining;

static int report(void *context, const dltf_progress *progress) {
    pretraining *p = context;
    int64_t part = progress->total > 0 ? PARTS * progress->done / progress->total : 0;
    return dl_meter_add(&p->meter, dl_max(0, p->layer * PARTS + part - p->meter.done)) ? 0 : 1;
}

/* ---- Checks ---- */

static dltf_status check_k(const pretraining *p, int64_t layer) {
    if (!p->k)
        return dl_fail_option(DLTF_ARGUMENT, "k", "is missing: give the entries of a code for each layer");
    if (p->k[layer] < 1 || p->k[layer] > p->sizes[layer])
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is outside 1 .. %lld, the units of layer %lld",
                              (long long)p->k[layer], (long long)p->sizes[layer], (long long)layer);
    return DLTF_OK;
}

static dltf_status check(const pretraining *p, dltf_matrix X) {
    dltf_status status = dl_option_check(dl_pretrain_option_table(), &p->options, NULL);
    if (status == DLTF_OK)
        status = dl_matrix_check_memory(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK)
        status = dl_matrix_check_single(X, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    if (p->count < 1 || p->count >= DL_MOST_LAYERS)
        return dl_fail(DLTF_ARGUMENT, "%lld layers: a network has 1 to %d", (long long)p->count,
                       DL_MOST_LAYERS - 1);
    for (int64_t l = 0; l < p->count && status == DLTF_OK; l++) {
        if (p->sizes[l] < 1 || p->sizes[l] > INT32_MAX)
            return dl_fail(DLTF_ARGUMENT, "layer %lld: %lld units: out of range", (long long)l,
                           (long long)p->sizes[l]);
        if (dl_start_find(p->options.method)->needs_k || p->options.keep)
            status = check_k(p, l);
    }
    return status;
}

/* ---- Samples ---- */

/* 1 / largest magnitude, as far as a float can be; 1 if all are 0. */
static double find_scale(const pretraining *p) {
    float largest = 0;
    for (int64_t i = 0; i < p->samples * p->width; i++)
        largest = fmaxf(largest, fabsf(p->inputs[i]));
    return largest > 0 ? fmin(1 / (double)largest, (double)FLT_MAX) : 1;
}

/* Copies and scales the samples to learn from. */
static dltf_status load_samples(pretraining *p, dltf_matrix X) {
    int64_t most = p->options.samples;
    p->width = X.cols;
    p->samples = most > 0 ? dl_min(most, X.rows) : X.rows;
    p->inputs = DL_NEW(float, p->samples * p->width);
    if (!p->inputs)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < p->samples; i++)
        dltf_matrix_row(X, (int64_t)((double)i * (double)X.rows / (double)p->samples),
                        p->inputs + i * p->width);
    if (p->options.scale == 0)
        p->options.scale = find_scale(p);
    float scale = (float)p->options.scale;
    for (int64_t i = 0; i < p->samples * p->width; i++)
        p->inputs[i] *= scale;
    return dl_all_finite(p->inputs, p->samples * p->width)
               ? DLTF_OK
               : dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                               "values times the scale of %g overflow single precision: lower the scale",
                               p->options.scale);
}

/* Replaces the inputs by the outputs of the layer. */
static dltf_status pass_layer(pretraining *p, const dl_network *layer) {
    int64_t m = dl_network_outputs(layer);
    float *outputs = DL_NEW(float, p->samples *m);
    if (!outputs)
        return DLTF_MEMORY;
    dltf_status status = dl_network_apply(layer, dltf_matrix_f32(p->inputs, p->samples, p->width),
                                          p->options.threads, outputs);
    dl_free(p->inputs);
    p->inputs = outputs;
    p->width = m;
    return status;
}

/* ---- Layers ---- */

static dltf_status make_layer(pretraining *p) {
    int64_t l = p->layer;
    dl_pretrain_options o = p->options;
    dltf_status status = DLTF_OK;
    dltf_matrix X = dltf_matrix_f32(p->inputs, p->samples, p->width);
    dl_network **layer = &p->layers[l];
    o.seed += l;
    dl_start_job job = {X, p->sizes[l], p->k ? p->k[l] : 0, &o, report, p};
    DL_TRY(p->start->make(&job, layer));
    if (o.keep)
        (*layer)->layers[0].k = p->k[l];
    DL_TRY(dl_network_rescale(*layer, 0, X, o.scaling == DL_SCALING_AUTO ? p->start->scaling : o.scaling,
                              o.threads));
    if (l + 1 < p->count)
        DL_TRY(pass_layer(p, *layer));
done:
    return status;
}

static dltf_status join_layers(const pretraining *p, dl_network **network) {
    dl_layer_view layers[DL_MOST_LAYERS];
    for (int64_t l = 0; l < p->count; l++)
        layers[l] = dl_network_layer(p->layers[l], 0);
    dltf_status status = dl_network_new(layers, p->count, 0, network);
    if (status == DLTF_OK)
        status = dl_network_set_scale(*network, p->options.scale);
    if (status != DLTF_OK) {
        dl_network_free(*network);
        *network = NULL;
    }
    return status;
}

dltf_status dl_pretrain(dltf_matrix X, const int64_t *sizes, const int64_t *k, int64_t count,
                        const dl_pretrain_options *options, dltf_progress_fn progress, void *context,
                        dl_network **network) {
    DL_CLEAR(network);
    DL_REQUIRE(sizes, network);
    pretraining p = {.options = options ? *options : dl_pretrain_options_default(),
                     .sizes = sizes,
                     .k = k,
                     .count = count};
    p.meter = dl_meter_new("pre-training", progress, context, 0);
    dltf_status status = check(&p, X);
    if (status != DLTF_OK)
        return status;
    p.start = dl_start_find(p.options.method);
    p.meter.total = count * PARTS;
    DL_TRY(load_samples(&p, X));
    for (; p.layer < count; p.layer++)
        DL_TRY(make_layer(&p));
    DL_TRY(join_layers(&p, network));
done:
    for (int64_t l = 0; l < DL_MOST_LAYERS; l++)
        dl_network_free(p.layers[l]);
    dl_free(p.inputs);
    return status;
}
