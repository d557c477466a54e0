/* An epoch of training: samples in shuffled batches. */
#include "base/clock.h"
#include "base/finite.h"
#include "base/integer.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/kernels.h"
#include "network/training.h"

#include <math.h>

enum { ROWS = DL_TASK_ROWS };

/* ---- Batches ---- */

/* Copies samples and targets of the batch, in the random order of the epoch. */
static void gather_rows(void *context, int64_t task, int worker) {
    dl_training *r = context;
    dl_trainer *t = &r->trainer;
    dl_random order = {(uint64_t)t->options.seed, DL_STREAM_SHUFFLE};
    int64_t first = task * ROWS, last = dl_min(t->rows, first + ROWS), outputs = r->targets.values.cols;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        int64_t sample =
            dl_training_row(r, dl_random_place(order, (uint64_t)r->epoch, r->samples, r->first + i));
        dl_network_input(t->network, r->X, sample, t->Y[0] + i * r->X.cols);
        if (r->labels)
            r->labels[i] = r->targets.labels[sample];
        else
            dltf_matrix_row(r->targets.values, sample, r->T + i * outputs);
    }
}

static void drop_rows(void *context, int64_t task, int worker) {
    dl_trainer *t = &((dl_training *)context)->trainer;
    int64_t first = task * ROWS;
    (void)worker;
    dl_trainer_drop_inputs(t, first, dl_min(t->rows - first, ROWS));
}

static void loss_rows(void *context, int64_t task, int worker) {
    dl_training *r = context;
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
    dl_training *r = context;
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
static void attack(dl_training *r, int64_t tasks) {
    dl_trainer *t = &r->trainer;
    t->undropped = true;
    dl_trainer_forward(t);
    dl_parallel(t->threads, tasks, loss_rows, r);
    dl_trainer_backward(t, true);
    t->undropped = false;
    dl_parallel(t->threads, tasks, move_rows, r);
}

/* One step on `rows` samples; adds the sum of their losses. False, and nothing changed, if cancelled. */
static bool train_batch(dl_training *r, int64_t rows, double rate) {
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
    if (!dl_poll())
        return false;
    dl_trainer_update(t, rate);
    for (int64_t task = 0; task < tasks; task++)
        sum += r->sums[task];
    r->sum += sum;
    return true;
}

/* ---- Epochs ---- */

/* The learning rate after `done` of all epochs, which may be a fraction. */
static double scheduled_rate(const dl_network_options *o, double done) {
    switch (o->schedule) {
    case DL_SCHEDULE_CONSTANT:
        break;
    case DL_SCHEDULE_LINEAR:
        return o->rate * (1 - done / (double)o->epochs);
    case DL_SCHEDULE_STEP:
        return o->rate * pow(0.1, floor(done / o->step_epochs));
    }
    return o->rate;
}

static double rate_at(const dl_training *r) {
    return scheduled_rate(&r->trainer.options, (double)r->epoch + (double)r->first / (double)r->samples);
}

/* The share of the validation samples that are misclassified, by the averaged weights if there are any. */
static dltf_status measure_error(dl_training *r, double *error) {
    int64_t N = r->validation.rows, wrong = 0;
    if (N == 0)
        return DLTF_OK;
    dl_trainer_swap_average(&r->trainer);
    dltf_status status =
        dl_network_classify(r->network, r->validation, r->trainer.options.threads, r->found, NULL);
    dl_trainer_swap_average(&r->trainer);
    for (int64_t i = 0; i < N; i++)
        wrong += r->found[i] != r->wanted[i];
    *error = (double)wrong / (double)N;
    return status;
}

/* Records the epoch and goes to the next. */
static dltf_status end_epoch(dl_training *r) {
    dltf_status status = dl_training_reserve(r);
    if (status != DLTF_OK)
        return status;
    dl_epoch *record = &r->history[r->epoch];
    r->first = 0;
    *record = (dl_epoch){.rate = rate_at(r), .loss = r->sum / (double)r->samples, .error = NAN};
    bool finite = dl_all_finite(r->network->values, r->network->size); /* the last step may have overflowed */
    if (!isfinite(record->loss) || !finite)
        return dl_fail(DLTF_NUMERIC, "training diverged: non-finite %s in epoch %lld; lower the rate",
                       isfinite(record->loss) ? "weights" : "loss", (long long)r->epoch + 1);
    status = measure_error(r, &record->error);
    record->seconds = dl_seconds() - r->start_time;
    r->epoch++;
    r->sum = 0;
    return status;
}

dltf_status dl_training_epoch(dl_training *r, bool *cancelled) {
    while (r->first < r->samples && !*cancelled) {
        int64_t rows = dl_min(r->trainer.options.batch, r->samples - r->first);
        dl_meter_watch(&r->meter);
        *cancelled = !train_batch(r, rows, rate_at(r));
        dl_meter_unwatch(&r->meter);
        if (*cancelled)
            break;
        r->first += rows;
        *cancelled = !dl_meter_add(&r->meter, rows);
    }
    return *cancelled ? DLTF_OK : end_epoch(r);
}
