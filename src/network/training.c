/* The training of a network as a handle that can be run, interrupted and looked at. */
#include "network/training.h"

#include "base/clock.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "data/matrix.h"

#include <string.h>

/* ---- Checks ---- */

static dltf_status check_labels(const int32_t *labels, int64_t count, int64_t classes) {
    if (!labels)
        return dl_fail(DLTF_ARGUMENT, "loss softmax needs labels");
    for (int64_t i = 0; i < count; i++)
        if (labels[i] < 0 || labels[i] >= classes)
            return dl_fail(DLTF_DATA, "label %d of sample %lld is out of range: the network has %lld outputs",
                           (int)labels[i], (long long)i, (long long)classes);
    return DLTF_OK;
}

static dltf_status check_values(dltf_matrix values, int64_t count, int64_t outputs) {
    if (!values.data)
        return dl_fail(DLTF_ARGUMENT, "loss square needs target values");
    if (values.rows != count || values.cols != outputs)
        return dl_fail(DLTF_DATA,
                       "targets are %lld x %lld, but %lld samples and %lld outputs need %lld x %lld",
                       (long long)values.rows, (long long)values.cols, (long long)count, (long long)outputs,
                       (long long)count, (long long)outputs);
    dltf_status status = dl_matrix_check_memory(values, DLTF_SUBJECT_DATA);
    return status == DLTF_OK ? dl_matrix_check_single(values, DLTF_SUBJECT_DATA) : status;
}

static dltf_status check_held_out(const dl_network_options *options, int64_t rows) {
    if (options->held_out == 0)
        return DLTF_OK;
    if (!dl_loss_find(options->loss)->labels)
        return dl_fail_option(DLTF_ARGUMENT, "held-out", "needs loss softmax, whose errors can be counted");
    if (options->held_out * (double)rows < 1)
        return dl_fail_option(DLTF_ARGUMENT, "held-out", "a share of %g of %lld samples is less than one",
                              options->held_out, (long long)rows);
    return DLTF_OK;
}

static dltf_status check(const dl_network *network, dltf_matrix X, dl_targets targets,
                         const dl_network_options *options) {
    dltf_status status = dl_option_check(dl_network_option_table(), options, NULL);
    if (status == DLTF_OK)
        status = dl_network_check_data(network, X);
    if (status == DLTF_OK)
        status = check_held_out(options, X.rows);
    if (status != DLTF_OK)
        return status;
    int64_t outputs = dl_network_outputs(network);
    return dl_loss_find(options->loss)->labels ? check_labels(targets.labels, X.rows, outputs)
                                               : check_values(targets.values, X.rows, outputs);
}

/* ---- Samples held out ---- */

/* A random order of the rows, which begins with those held out. */
static int64_t place_of(const dl_training *t, int64_t i) {
    dl_random order = {(uint64_t)t->trainer.options.seed, DL_STREAM_HELD_OUT};
    return dl_random_place(order, 0, t->X.rows, i);
}

int64_t dl_training_row(const dl_training *t, int64_t i) {
    return t->held_out > 0 ? place_of(t, t->held_out + i) : i;
}

/* Copies the samples that are held out, to measure the error on them. */
static dltf_status copy_held_out(dl_training *t) {
    dltf_status status = DLTF_OK;
    int64_t n = t->X.cols;
    DL_TRY_NEW(t->own_validation, t->held_out * n);
    DL_TRY_NEW(t->own_wanted, t->held_out);
    for (int64_t i = 0; i < t->held_out; i++) {
        dltf_matrix_row(t->X, place_of(t, i), t->own_validation + i * n);
        t->own_wanted[i] = t->targets.labels[place_of(t, i)];
    }
    status = dl_training_validate(t, dltf_matrix_f32(t->own_validation, t->held_out, n), t->own_wanted);
done:
    return status;
}

dltf_status dl_training_validate(dl_training *training, dltf_matrix X, const int32_t *labels) {
    DL_REQUIRE(training, labels);
    dl_training *t = training;
    if (!t->loss->labels)
        return dl_fail(DLTF_ARGUMENT, "a validation needs loss softmax, whose errors can be counted");
    dltf_status status = dl_network_check_data(t->network, X);
    if (status == DLTF_OK)
        status = check_labels(labels, X.rows, dl_network_outputs(t->network));
    int32_t *found = status == DLTF_OK ? DL_NEW(int32_t, X.rows) : NULL;
    if (!found)
        return status == DLTF_OK ? DLTF_MEMORY : status;
    dl_free(t->found);
    t->found = found;
    t->validation = X;
    t->wanted = labels;
    return DLTF_OK;
}

/* ---- The handle ---- */

dltf_status dl_training_new(const dl_network *network, dltf_matrix X, dl_targets targets,
                            const dl_network_options *options, dl_training **training) {
    DL_CLEAR(training);
    DL_REQUIRE(network, training);
    dl_training *t = NULL;
    dl_network_options o = options ? *options : dl_network_options_default();
    dltf_status status = check(network, X, targets, &o);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(t, 1);
    t->X = X;
    t->targets = targets;
    t->loss = dl_loss_find(o.loss);
    t->held_out = dl_integer(o.held_out * (double)X.rows, 0, X.rows);
    t->samples = X.rows - t->held_out;
    t->start_time = dl_seconds();
    o.batch = dl_min(o.batch, t->samples);
    DL_TRY(dl_network_part(network, 0, network->count, &t->network));
    DL_TRY(dl_trainer_alloc(&t->trainer, t->network, &o));
    DL_TRY_NEW(t->sums, dl_tiles(o.batch, DL_TASK_ROWS));
    if (t->loss->labels)
        DL_TRY_NEW(t->labels, o.batch);
    else
        DL_TRY_NEW(t->T, o.batch * targets.values.cols);
    if (t->held_out > 0)
        DL_TRY(copy_held_out(t));
    *training = t;
    t = NULL;
done:
    dl_training_free(t);
    return status;
}

dltf_status dl_training_reserve(dl_training *t) {
    if (t->epoch < t->history_room)
        return DLTF_OK;
    int64_t room = 2 * t->history_room + 16;
    dl_epoch *history = dl_grow(t->history, t->epoch, room, sizeof *history);
    if (!history)
        return DLTF_MEMORY;
    t->history = history;
    t->history_room = room;
    return DLTF_OK;
}

void dl_training_free(dl_training *t) {
    if (!t)
        return;
    dl_trainer_free(&t->trainer);
    dl_network_free(t->network);
    dl_free(t->T);
    dl_free(t->labels);
    dl_free(t->sums);
    dl_free(t->history);
    dl_free(t->found);
    dl_free(t->own_validation);
    dl_free(t->own_wanted);
    dl_free(t);
}

dltf_status dl_training_run(dl_training *training, dltf_progress_fn progress, void *context,
                            dltf_outcome *outcome) {
    DL_REQUIRE(training, outcome);
    dl_training *t = training;
    int64_t epochs = t->trainer.options.epochs;
    bool cancelled = false;
    dltf_status status = DLTF_OK;
    t->meter = dl_meter_new("training", progress, context, epochs * t->samples);
    t->meter.done = t->epoch * t->samples + t->first;
    while (t->epoch < epochs && !cancelled && status == DLTF_OK)
        status = dl_training_epoch(t, &cancelled);
    if (!cancelled && status == DLTF_OK)
        dl_trainer_finish(&t->trainer);
    *outcome = cancelled ? DLTF_INTERRUPTED : DLTF_ITERATION_LIMIT;
    return status;
}

const dl_network *dl_training_network(const dl_training *t) {
    return t ? t->network : NULL;
}

dl_network_options dl_training_options(const dl_training *t) {
    return t ? t->trainer.options : dl_network_options_default();
}

const dl_epoch *dl_training_history(const dl_training *t, int64_t *count) {
    if (count)
        *count = t ? t->epoch : 0;
    return t ? t->history : NULL;
}

dltf_status dl_network_train(dl_network *network, dltf_matrix X, dl_targets targets,
                             const dl_network_options *options, dltf_progress_fn progress, void *context,
                             double *losses) {
    DL_REQUIRE(network);
    dl_training *t = NULL;
    dltf_outcome outcome = DLTF_ITERATION_LIMIT;
    dltf_status status = dl_training_new(network, X, targets, options, &t);
    if (status != DLTF_OK)
        return status;
    status = dl_training_run(t, progress, context, &outcome);
    if (status == DLTF_OK && outcome == DLTF_INTERRUPTED)
        status = dl_fail(DLTF_CANCELLED, "training was cancelled");
    memcpy(network->values, t->network->values, (size_t)network->size * sizeof *network->values);
    for (int64_t e = 0; losses && e < t->epoch; e++)
        losses[e] = t->history[e].loss;
    dl_training_free(t);
    return status;
}
