/* Training a network on samples in shuffled batches. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "base/random.h"
#include "data/matrix.h"
#include "kernels/kernels.h"
#include "network/loss.h"
#include "network/trainer.h"

#include <math.h>

enum { ROWS = 16 }; /* samples of a task */

typedef struct training {
    dltf_matrix X;
    dltf_targets targets;
    const dl_loss *loss;
    dl_trainer trainer;
    float *T;        /* targets of the batch: room x outputs; NULL for labels */
    int32_t *labels; /* or labels: room */
    double *sums;    /* losses of the tasks of a batch */
    dl_meter meter;
    int64_t epoch, first; /* position of the batch */
} training;

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
    return dl_matrix_check_finite(values, DLTF_SUBJECT_DATA);
}

static dltf_status check(const dltf_network *network, dltf_matrix X, dltf_targets targets,
                         const dltf_network_options *options) {
    dltf_status status = dltf_option_check(dltf_network_option_table(), options, NULL);
    if (status == DLTF_OK)
        status = dl_network_check_data(network, X);
    if (status != DLTF_OK)
        return status;
    int64_t outputs = dl_network_outputs(network);
    return dl_loss_find(options->loss)->labels ? check_labels(targets.labels, X.rows, outputs)
                                               : check_values(targets.values, X.rows, outputs);
}

/* ---- Batches ---- */

/* Copies samples and targets of the batch, in the random order of the epoch. */
static void gather_rows(void *context, int64_t task, int worker) {
    training *r = context;
    dl_trainer *t = &r->trainer;
    dl_random order = {(uint64_t)t->options.seed, DL_STREAM_SHUFFLE};
    int64_t first = task * ROWS, last = dl_min(t->rows, first + ROWS), outputs = r->targets.values.cols;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        int64_t sample = dl_random_place(order, (uint64_t)r->epoch, r->X.rows, r->first + i);
        dltf_matrix_row(r->X, sample, t->Y[0] + i * r->X.cols);
        if (r->labels)
            r->labels[i] = r->targets.labels[sample];
        else
            dltf_matrix_row(r->targets.values, sample, r->T + i * outputs);
    }
}

static void drop_rows(void *context, int64_t task, int worker) {
    dl_trainer *t = &((training *)context)->trainer;
    int64_t first = task * ROWS;
    (void)worker;
    dl_trainer_drop_inputs(t, first, dl_min(t->rows - first, ROWS));
}

static void loss_rows(void *context, int64_t task, int worker) {
    training *r = context;
    dl_trainer *t = &r->trainer;
    int64_t count = t->network->count, outputs = dl_network_outputs(t->network);
    int64_t first = task * ROWS, last = dl_min(t->rows, first + ROWS);
    float scale = 1 / (float)t->rows;
    (void)worker;
    r->sums[task] = 0;
    for (int64_t i = first; i < last; i++) {
        const void *target = r->labels ? (const void *)(r->labels + i) : r->T + i * outputs;
        r->sums[task] +=
            r->loss->row(t->Y[count] + i * outputs, target, outputs, scale, t->D[count] + i * outputs);
    }
}

/* x += eps g / ||g|| for the gradient g of its loss. */
static void move_rows(void *context, int64_t task, int worker) {
    training *r = context;
    dl_trainer *t = &r->trainer;
    const dl_kernels *kernels = dl_kernels_now();
    int64_t n = r->X.cols, first = task * ROWS, last = dl_min(t->rows, first + ROWS);
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        const float *g = t->D[0] + i * n;
        double norm = sqrt(kernels->square(g, n));
        if (norm > 0)
            kernels->add_scaled32(t->Y[0] + i * n, (float)(t->options.adversarial / norm), g, n);
    }
}

/* Moves the samples of the batch to where the network, without dropout, has a larger loss. */
static void attack(training *r, int64_t tasks) {
    dl_trainer *t = &r->trainer;
    t->undropped = true;
    dl_trainer_forward(t);
    dl_parallel(t->threads, tasks, loss_rows, r);
    dl_trainer_backward(t, true);
    t->undropped = false;
    dl_parallel(t->threads, tasks, move_rows, r);
}

/* One step on `rows` samples; returns the sum of their losses. */
static double train_batch(training *r, int64_t rows, double rate) {
    dl_trainer *t = &r->trainer;
    int64_t tasks = dl_tiles(rows, ROWS);
    double sum = 0;
    t->rows = rows;
    dl_parallel(t->threads, tasks, gather_rows, r);
    if (t->options.adversarial > 0)
        attack(r, tasks);
    dl_parallel(t->threads, tasks, drop_rows, r);
    dl_trainer_forward(t);
    dl_parallel(t->threads, tasks, loss_rows, r);
    dl_trainer_backward(t, false);
    dl_trainer_update(t, rate);
    for (int64_t task = 0; task < tasks; task++)
        sum += r->sums[task];
    return sum;
}

/* ---- Epochs ---- */

/* The learning rate after `done` of all epochs, which may be a fraction. */
static double scheduled_rate(const dltf_network_options *o, double done) {
    switch (o->schedule) {
    case DLTF_SCHEDULE_CONSTANT:
        break;
    case DLTF_SCHEDULE_LINEAR:
        return o->rate * (1 - done / (double)o->epochs);
    case DLTF_SCHEDULE_STEP:
        return o->rate * pow(0.1, floor(done / o->step_epochs));
    }
    return o->rate;
}

static dltf_status train_epoch(training *r, double *loss) {
    const dltf_network_options *o = &r->trainer.options;
    int64_t N = r->X.rows;
    double sum = 0;
    for (r->first = 0; r->first < N; r->first += o->batch) {
        int64_t rows = dl_min(o->batch, N - r->first);
        double done = (double)r->epoch + (double)r->first / (double)N;
        sum += train_batch(r, rows, scheduled_rate(o, done));
        if (!dl_meter_add(&r->meter, rows))
            return dl_fail(DLTF_CANCELLED, "training was cancelled");
    }
    *loss = sum / (double)N;
    if (!isfinite(*loss))
        return dl_fail(DLTF_NUMERIC, "training diverged: non-finite loss in epoch %lld; lower the rate",
                       (long long)r->epoch + 1);
    return DLTF_OK;
}

dltf_status dltf_network_train(dltf_network *network, dltf_matrix X, dltf_targets targets,
                               const dltf_network_options *options, dltf_progress_fn progress, void *context,
                               double *losses) {
    training r = {.X = X, .targets = targets};
    dltf_network_options o = *options;
    dltf_status status = check(network, X, targets, options);
    if (status != DLTF_OK)
        return status;
    r.loss = dl_loss_find(options->loss);
    o.batch = dl_min(o.batch, X.rows);
    r.meter = (dl_meter){"training", progress, context, 0, o.epochs * X.rows};
    DL_TRY(dl_trainer_alloc(&r.trainer, network, &o));
    DL_TRY_NEW(r.sums, dl_tiles(o.batch, ROWS));
    if (r.loss->labels)
        DL_TRY_NEW(r.labels, o.batch);
    else
        DL_TRY_NEW(r.T, o.batch * targets.values.cols);
    for (; r.epoch < o.epochs; r.epoch++) {
        double loss = 0;
        DL_TRY(train_epoch(&r, &loss));
        if (losses)
            losses[r.epoch] = loss;
    }
    dl_trainer_finish(&r.trainer);
done:
    dl_trainer_free(&r.trainer);
    dl_free(r.T);
    dl_free(r.labels);
    dl_free(r.sums);
    return status;
}
