/* A step of training. */
#include "network/trainer.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* ---- Memory ---- */

typedef struct dl_update_tile {
    int64_t layer;
    dl_range units;
} dl_update_tile;

static int64_t width_of(const dl_network *network, int64_t layer) {
    return layer == 0 ? network->layers[0].inputs : network->layers[layer - 1].outputs;
}

static dltf_status list_tiles(dl_trainer *t) {
    const dl_network *network = t->network;
    dltf_status status = DLTF_OK;
    for (int64_t l = 0; l < network->count; l++)
        t->tile_count += dl_tiles(network->layers[l].outputs, DL_UNITS);
    DL_TRY_NEW(t->tiles, t->tile_count);
    dl_update_tile *next = t->tiles;
    for (int64_t l = 0; l < network->count; l++)
        for (int64_t i = 0; i < dl_tiles(network->layers[l].outputs, DL_UNITS); i++)
            *next++ = (dl_update_tile){l, dl_units(network->layers[l].outputs, i)};
done:
    return status;
}

dltf_status dl_trainer_alloc(dl_trainer *t, dl_network *network, const dl_network_options *options) {
    dltf_status status = DLTF_OK;
    int64_t count = network->count;
    *t = (dl_trainer){.network = network,
                      .optimiser = dl_optimiser_find(options->optimiser),
                      .options = *options,
                      .threads = dl_thread_count(options->threads),
                      .room = options->batch,
                      .scratch_size = DL_UNITS * (dl_network_width(network) + 1)};
    DL_TRY(dl_blas_ready(t->threads));
    DL_TRY_NEW(t->Y, count + 1);
    DL_TRY_NEW(t->D, count + 1);
    DL_TRY_NEW(t->dropout, count + 1);
    for (int64_t l = 0; l <= count; l++) {
        int64_t width = width_of(network, l);
        double p = l == 0 ? options->input_dropout : l < count ? options->dropout : 0;
        DL_TRY_NEW(t->Y[l], t->room * width);
        DL_TRY_NEW(t->D[l], t->room * width);
        t->dropout[l] = dl_dropout_new(p, (uint64_t)options->seed, l, width);
    }
    for (int a = 0; a < t->optimiser->moments; a++)
        DL_TRY_NEW(t->moments[a], network->size);
    if (options->average > 0) {
        DL_TRY_NEW(t->average, network->size);
        memcpy(t->average, network->values, (size_t)network->size * sizeof *t->average);
    }
    DL_TRY(dl_keep_alloc(&t->keep, network, t->threads));
    DL_TRY_NEW(t->scratch, t->threads * t->scratch_size);
    DL_TRY(list_tiles(t));
done:
    return status; /* the caller frees partial allocations */
}

void dl_trainer_free(dl_trainer *t) {
    for (int64_t l = 0; t->network && l <= t->network->count; l++) {
        if (t->Y)
            dl_free(t->Y[l]);
        if (t->D)
            dl_free(t->D[l]);
    }
    dl_free(t->Y);
    dl_free(t->D);
    dl_free(t->dropout);
    for (int a = 0; a < DL_MOST_MOMENTS; a++)
        dl_free(t->moments[a]);
    dl_keep_free(&t->keep);
    dl_free(t->average);
    dl_free(t->scratch);
    dl_free(t->tiles);
}

uint64_t dl_trainer_row(const dl_trainer *t) {
    return (uint64_t)t->steps * (uint64_t)t->room;
}

/* ---- Outputs and gradients ---- */

typedef struct layer_task {
    dl_trainer *t;
    int64_t layer; /* from 0 */
} layer_task;

static void forward_tile(void *context, int64_t tile, int worker) {
    const layer_task *task = context;
    dl_trainer *t = task->t;
    const dl_layer *layer = &t->network->layers[task->layer];
    dl_range units = dl_units(layer->outputs, tile);
    float *Y = t->Y[task->layer + 1];
    (void)worker;
    dl_layer_forward(layer, t->Y[task->layer], t->rows, units, Y);
    if (!t->undropped && layer->k == 0)
        dl_dropout_apply(&t->dropout[task->layer + 1], dl_trainer_row(t), t->rows, units, Y);
}

/* Dropout of whole rows. */
static void drop_rows(dl_trainer *t, int64_t layer, int64_t first, int64_t count) {
    int64_t width = width_of(t->network, layer);
    for (int64_t tile = 0; tile < dl_tiles(width, DL_UNITS); tile++)
        dl_dropout_apply(&t->dropout[layer], dl_trainer_row(t) + (uint64_t)first, count,
                         dl_units(width, tile), t->Y[layer] + first * width);
}

void dl_trainer_drop_inputs(dl_trainer *t, int64_t first, int64_t count) {
    drop_rows(t, 0, first, count);
}

/* Selects among all outputs of a sample, then drops some of those kept. */
static void keep_rows(void *context, int64_t number, int worker) {
    const layer_task *task = context;
    dl_trainer *t = task->t;
    const dl_layer *layer = &t->network->layers[task->layer];
    int64_t first = number * DL_TASK_ROWS, count = dl_min(t->rows - first, DL_TASK_ROWS);
    dl_keep_apply(&t->keep, worker, layer, count, t->Y[task->layer + 1] + first * layer->outputs);
    if (!t->undropped)
        drop_rows(t, task->layer + 1, first, count);
}

void dl_trainer_forward(dl_trainer *t) {
    for (int64_t l = 0; l < t->network->count; l++) {
        layer_task task = {t, l};
        dl_parallel_polled(t->threads, dl_tiles(t->network->layers[l].outputs, DL_UNITS), forward_tile,
                           &task);
        if (t->network->layers[l].k > 0)
            dl_parallel(t->threads, dl_tiles(t->rows, DL_TASK_ROWS), keep_rows, &task);
    }
}

/* From the gradient of the outputs of a layer to that of its sums, in the columns `units`. */
static void pass_activation(const dl_trainer *t, int64_t layer, dl_range units) {
    const dl_layer *self = &t->network->layers[layer - 1];
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t at = i * self->outputs + units.first;
        self->activation->slope(t->D[layer] + at, t->Y[layer] + at, units.count);
        if (self->k > 0)
            dl_keep_slope(t->D[layer] + at, t->Y[layer] + at, units.count);
    }
}

static void backward_tile(void *context, int64_t tile, int worker) {
    const layer_task *task = context;
    dl_trainer *t = task->t;
    const dl_layer *layer = &t->network->layers[task->layer];
    dl_range units = dl_units(layer->inputs, tile);
    float *D = t->D[task->layer];
    (void)worker;
    dl_layer_backward(layer, t->D[task->layer + 1], t->rows, units, D);
    if (!t->undropped)
        dl_dropout_apply(&t->dropout[task->layer], dl_trainer_row(t), t->rows, units, D);
    if (task->layer > 0)
        pass_activation(t, task->layer, units);
}

void dl_trainer_backward(dl_trainer *t, bool to_input) {
    int64_t count = t->network->count;
    pass_activation(t, count, (dl_range){0, dl_network_outputs(t->network)});
    for (int64_t l = count - 1; l >= (to_input ? 0 : 1); l--) {
        layer_task task = {t, l};
        dl_parallel_polled(t->threads, dl_tiles(t->network->layers[l].inputs, DL_UNITS), backward_tile,
                           &task);
    }
}

/* ---- The update ---- */

typedef struct update_task {
    dl_trainer *t;
    dl_step weights, bias;
    float keep; /* of the averages */
} update_task;

static void optimise(const update_task *task, const dl_step *step, int64_t n, float *values,
                     const float *gradient) {
    dl_trainer *t = task->t;
    int64_t at = values - t->network->values;
    float *moments[DL_MOST_MOMENTS] = {NULL};
    for (int a = 0; a < t->optimiser->moments; a++)
        moments[a] = t->moments[a] + at;
    t->optimiser->update(step, n, values, gradient, moments);
}

/* Scales a row of weights down to the largest norm allowed. */
static void limit_norm(float *row, int64_t n, double most) {
    double norm = sqrt(dl_kernels_now()->square(row, n));
    if (norm > most)
        dl_kernels_now()->combine32(row, (float)(most / norm), 0, row, n);
}

static void average(const update_task *task, const float *values, int64_t n) {
    dl_trainer *t = task->t;
    if (t->average)
        dl_kernels_now()->combine32(t->average + (values - t->network->values), task->keep, 1 - task->keep,
                                    values, n);
}

static void update_tile(void *context, int64_t number, int worker) {
    const update_task *task = context;
    dl_trainer *t = task->t;
    const dl_update_tile *tile = &t->tiles[number];
    const dl_layer *layer = &t->network->layers[tile->layer];
    int64_t n = layer->inputs, first = tile->units.first, count = tile->units.count;
    float *DV = t->scratch + worker * t->scratch_size, *db = DV + DL_UNITS * n;
    float *V = layer->V + first * n, *b = layer->b + first;
    dl_layer_gradient(layer, t->Y[tile->layer], t->D[tile->layer + 1], t->rows, tile->units, DV, db);
    optimise(task, &task->weights, count * n, V, DV);
    optimise(task, &task->bias, count, b, db);
    for (int64_t i = 0; i < count && t->options.max_norm > 0; i++)
        limit_norm(V + i * n, n, t->options.max_norm);
    average(task, V, count * n);
    average(task, b, count);
}

void dl_trainer_update(dl_trainer *t, double rate) {
    const dl_network_options *o = &t->options;
    int64_t number = ++t->steps;
    /* The first averages are over fewer steps: the weights change fast then. */
    double keep = fmin(o->average, (double)number / (double)(number + 10));
    update_task task = {
        t, {number, rate, o->momentum, o->decay}, {number, rate, o->momentum, 0}, (float)keep};
    dl_parallel(t->threads, t->tile_count, update_tile, &task);
}

void dl_trainer_swap_average(dl_trainer *t) {
    for (int64_t i = 0; t->average && i < t->network->size; i++) {
        float value = t->network->values[i];
        t->network->values[i] = t->average[i];
        t->average[i] = value;
    }
}

void dl_trainer_finish(dl_trainer *t) {
    if (t->average)
        memcpy(t->network->values, t->average, (size_t)t->network->size * sizeof *t->average);
}
