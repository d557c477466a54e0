/* The learner: runs the stages of a method in order. */
#include "learning/learner.h"

#include "base/clock.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/sized.h"
#include "comm/comm.h"
#include "data/matrix.h"
#include "learning/learner_facts.h"
#include "learning/train_options.h"
#include "linalg/blas.h"

#include <math.h>

static const dl_stage *current(const dltf_learner *l) {
    return l->stages[l->stage];
}

/* ---- What stages share ---- */

void dl_learner_refresh(dltf_learner *l) {
    if (!l->needs_gram)
        return;
    dl_gemm(l->threads, DL_PLAIN, DL_TRANSPOSED, l->m, l->m, l->n, 1, l->W, l->W, 0, l->G);
    dl_packed_fill_f64(&l->W32, l->W);
    for (int64_t i = 0; i < l->m * l->m; i++)
        l->G32[i] = (float)l->G[i];
}

void dl_learner_expect(const dltf_learner *l, int64_t first, int64_t count) {
    count = dl_min(count, l->N - first);
    if (count < 1)
        return;
    int64_t begin = dl_holdout_training(&l->holdout, first),
            end = dl_holdout_training(&l->holdout, first + count - 1);
    dl_matrix_expect(l->samples.X, begin, end - begin + 1);
}

void dl_learner_describe(const dltf_learner *l, dltf_iteration *record) {
    record->coherence = record->frame_potential = 0;
    for (int64_t i = 0; i < l->m; i++)
        for (int64_t j = 0; j < l->m; j++) {
            double g = fabs(l->G[i * l->m + j]);
            record->frame_potential += g * g;
            if (i != j && g > record->coherence)
                record->coherence = g;
        }
}

/* ---- Running ---- */

/* Ranks could not agree on where to stop within an iteration. */
static void watch(dl_meter *meter) {
    if (dl_comm_size() == 1)
        dl_meter_watch(meter);
}

void dl_learner_leave(dltf_learner *l) {
    if (l->state)
        current(l)->free(l->state);
    l->state = NULL;
}

dltf_status dl_learner_enter(dltf_learner *l) {
    if (l->state)
        return DLTF_OK;
    dltf_status status = current(l)->create(l, &l->state);
    if (status != DLTF_OK)
        dl_learner_leave(l);
    return status;
}

void dl_learner_publish(const dltf_learner *l) {
    if (l->ahead)
        current(l)->publish(l, l->state);
}

bool dl_learner_inside(const dltf_learner *l) {
    return (l->index > 0 || l->partway) && l->index < current(l)->length(l);
}

bool dl_learner_begun(const dltf_learner *l) {
    for (int i = 0; i < l->stage; i++)
        if (l->stages[i]->length(l) > 0)
            return true;
    return l->index > 0;
}

dltf_status dl_learner_make_encoder(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    if (!l->E)
        DL_TRY_NEW(l->E, l->atoms * l->n);
    if (!l->bias)
        DL_TRY_NEW(l->bias, l->atoms);
done:
    return status;
}

bool dl_learner_has_encoder(const dltf_learner *l) {
    for (int i = 0; i <= l->stage; i++)
        if (l->stages[i]->makes_encoder)
            return i < l->stage || l->index > 0 || l->partway;
    return false;
}

static bool has_converged(const dltf_learner *l) {
    const dl_history *h = &l->history;
    if (h->count == 0)
        return false;
    const dltf_iteration *now = &h->records[h->count - 1], *before = h->count > 1 ? now - 1 : NULL;
    if (now->stage != current(l)->name || !current(l)->converged)
        return false;
    return current(l)->converged(l, now, before && before->stage == now->stage ? before : NULL);
}

/* How training has ended if this was the last iteration. */
static dltf_outcome outcome_of(const dltf_learner *l, bool converged) {
    const dl_stage *stage = current(l);
    if (stage->outcome && l->index >= stage->length(l))
        return stage->outcome(l);
    return converged ? DLTF_CONVERGED : DLTF_ITERATION_LIMIT;
}

static dltf_status iterate(dltf_learner *l, dl_meter *meter) {
    const dl_stage *stage = current(l);
    dltf_iteration record = {.stage = stage->name,
                             .index = l->index,
                             .raw_error = NAN,
                             .refit_error = NAN,
                             .explained_variance = NAN,
                             .refit_explained_variance = NAN};
    dltf_status status = dl_learner_enter(l);
    if (!stage->whole)
        watch(meter);
    if (status == DLTF_OK)
        status = stage->iterate(l, l->state, l->index, &record);
    dl_meter_unwatch(meter);
    if (status == DLTF_OK)
        status = dl_matrix_status(l->samples.X);
    if (status == DLTF_OK)
        status = dl_comm_status();
    if (status != DLTF_OK)
        return status;
    const char *bad = dl_history_finish(&record, stage->columns);
    if (bad)
        return dl_fail(DLTF_NUMERIC, "training diverged: %s is not finite in stage %s, iteration %lld: %s",
                       bad, stage->name, (long long)l->index, stage->diverged);
    record.seconds = dl_seconds() - l->start_time;
    if (stage->seen)
        l->samples_seen = stage->seen(l);
    l->partway = false;
    l->index++;
    dl_history_append(&l->history, &record);
    return DLTF_OK;
}

/* Measures errors after every few iterations and at the end of a stage. Values too large to measure do not
 * end a training. After lack of memory, or if cancelled, the next run tries again, so that the history is
 * always the same. */
static dltf_status monitor(dltf_learner *l, dl_meter *meter) {
    int64_t length = current(l)->length(l), count = dl_learner_measurements(l);
    int64_t every = (length + count - 1) / count;
    if (l->unmonitored || l->partway || l->index == 0 || l->history.count == 0 ||
        (length - l->index) % every != 0)
        return DLTF_OK;
    dltf_iteration *last = &l->history.records[l->history.count - 1];
    watch(meter);
    dltf_status status = isnan(last->refit_error) ? dl_learner_monitor(l, last) : DLTF_OK;
    dl_meter_unwatch(meter);
    return status == DLTF_MEMORY || status == DLTF_CANCELLED ? status : DLTF_OK;
}

int64_t dl_learner_work(const dltf_learner *l) {
    int64_t work = 0;
    for (int i = 0; l->stages[i]; i++)
        work += l->stages[i]->work(l) * l->stages[i]->length(l);
    return work;
}

static void measure_progress(const dltf_learner *l, dl_meter *meter) {
    meter->done = 0;
    meter->total = dl_learner_work(l);
    meter->iteration = l->history.count > 0 ? &l->history.records[l->history.count - 1] : NULL;
    for (int i = 0; l->stages[i]; i++) {
        int64_t length = l->stages[i]->length(l), work = l->stages[i]->work(l);
        meter->done += work * (i < l->stage ? length : i == l->stage ? l->index : 0);
    }
}

/* One iteration, and whether it was the last of its stage. */
static dltf_status step(dltf_learner *l, dl_meter *meter) {
    dltf_status status = dl_history_reserve(&l->history);
    if (status != DLTF_OK)
        return status;
    measure_progress(l, meter); /* the record that it shows may have moved */
    status = iterate(l, meter);
    if (status != DLTF_OK)
        return status;
    bool converged = has_converged(l);
    if (converged)
        l->index = current(l)->length(l);
    l->outcome = outcome_of(l, converged);
    measure_progress(l, meter);
    status = monitor(l, meter);
    if (status != DLTF_OK)
        return status;
    return dl_comm_any(!dl_meter_add(meter, 0)) ? DLTF_CANCELLED : DLTF_OK;
}

static dltf_status run(dltf_learner *l, dl_meter *meter) {
    dltf_status status = monitor(l, meter);
    while (status == DLTF_OK) {
        if (l->index < current(l)->length(l)) {
            status = step(l, meter);
            continue;
        }
        if (!l->stages[l->stage + 1])
            return dl_comm_agree(DLTF_OK);
        dl_learner_leave(l);
        l->stage++;
        l->index = 0;
        l->partway = false;
    }
    return status;
}

dltf_status dltf_learner_run(dltf_learner *learner, dltf_progress_fn progress, void *context,
                             dltf_outcome *outcome) {
    DL_REQUIRE(learner, outcome);
    dltf_learner *l = learner;
    dl_meter meter = {.task = "learning", .progress = progress, .context = context};
    measure_progress(l, &meter);
    dltf_status status = run(l, &meter);
    *outcome = status == DLTF_CANCELLED ? DLTF_INTERRUPTED : l->outcome;
    return status == DLTF_CANCELLED ? DLTF_OK : status;
}

void dltf_learner_options_sized(const dltf_learner *l, dltf_train_options *found, size_t size) {
    dltf_train_options own = l ? l->options : dltf_train_options_default();
    dl_options_write(dl_train_option_table(), found, size, &own);
}

const char *dl_learner_choice(const dltf_learner *l) {
    return l ? l->choice : "";
}

int64_t dl_learner_samples_seen(const dltf_learner *l) {
    return l ? l->samples_seen : 0;
}

const char *dl_learner_center_choice(const dltf_learner *l) {
    return l ? l->center_choice : "";
}

int64_t dltf_learner_history_sized(const dltf_learner *l, int64_t index, dltf_iteration *record,
                                   size_t size) {
    int64_t count = l ? l->history.count : 0;
    if (record && index >= 0 && index < count)
        DL_WRITE_STRUCT(dltf_iteration, record, size, &l->history.records[index]);
    return count;
}

const dltf_iteration *dl_learner_history(const dltf_learner *l, int64_t *count) {
    if (count)
        *count = l ? l->history.count : 0;
    return l ? l->history.records : NULL;
}
