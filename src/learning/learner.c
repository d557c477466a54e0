/* The learner: checks options and data, then runs the stages of a method in order. */
#include "learning/learner.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "data/model.h"
#include "learning/train_options.h"
#include "linalg/blas.h"

#include <math.h>

/* ---- Creation ---- */

/* Checks the data and sets the scale that makes options independent of units: mean ||x||^2 = k. */
static dltf_status prepare_samples(dltf_learner *l, dltf_matrix X) {
    dltf_status status = DLTF_OK;
    l->samples = (dl_samples){.X = X, .unit_norm = l->options.unit_norm, .scale = 1};
    if (l->options.center) {
        DL_TRY_NEW(l->mean, l->n);
        DL_TRY(dl_samples_mean(X, l->mean));
        l->samples.mean = l->mean;
    }
    DL_TRY(dl_samples_scan(&l->samples, &l->scan));
    l->samples.scale = sqrt((double)l->k / l->scan.mean_square);
    l->weight = 1e4 / (double)l->N;
done:
    return status;
}

/* Rejects a training that exceeds the memory of the machine before anything is allocated: a system that
 * overcommits would kill the process later. Only one stage is in memory at a time. */
static dltf_status check_memory(const dltf_learner *l) {
    double m = (double)l->m, n = (double)l->n, machine = dl_memory_of_machine();
    double shared = 8 * m * n + (l->needs_gram ? 12 * m * m + 4 * m * n : 0), most = 0;
    const dl_stage *largest = NULL;
    for (int i = 0; l->stages[i]; i++) {
        const dl_stage *stage = l->stages[i];
        if (stage->length(l) == 0)
            continue;
        dltf_status status = stage->admit ? stage->admit(l) : DLTF_OK;
        if (status != DLTF_OK)
            return status;
        double bytes = stage->bytes(l);
        largest = bytes >= most ? stage : largest;
        most = fmax(most, bytes);
    }
    if (shared + most <= machine)
        return DLTF_OK;
    return dl_fail(
        DLTF_MEMORY,
        "m = %lld atoms and N = %lld samples need about %.0f GB of memory%s%s, but this machine has %.0f "
        "GB: %s",
        (long long)l->m, (long long)l->N, (shared + most) / 1e9, largest ? " in stage " : "",
        largest ? largest->name : "", machine / 1e9, largest ? largest->saving : "lower m");
}

static dltf_status allocate(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(l->W, l->m * l->n);
    DL_TRY_NEW(l->code_sum, l->m);
    if (l->needs_gram) {
        DL_TRY_NEW(l->G, l->m * l->m);
        DL_TRY_NEW(l->G32, l->m * l->m);
        DL_TRY(dl_packed_alloc(&l->W32, l->m, l->n));
    }
done:
    return status;
}

dltf_status dl_learner_create(dltf_matrix X, const dltf_train_options *options, dltf_learner **learner) {
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK)
        status = dl_train_options_check(options);
    if (status != DLTF_OK)
        return status;
    dltf_learner *l = NULL;
    DL_TRY_NEW(l, 1);
    l->options = *options;
    dl_train_options_complete(&l->options, X.rows, X.cols);
    DL_TRY(dl_train_options_check(&l->options));
    l->threads = dl_thread_count(options->threads);
    l->N = X.rows;
    l->n = X.cols;
    l->m = l->options.m;
    l->k = l->options.k;
    l->stages = dl_method_stages(&l->options);
    for (int i = 0; l->stages[i]; i++)
        l->needs_gram = l->needs_gram || l->stages[i]->needs_gram;
    l->tau = 1e-3;
    l->start_time = dltf_seconds();
    DL_TRY(check_memory(l));
    DL_TRY(prepare_samples(l, X));
    DL_TRY(allocate(l));
    *learner = l;
    l = NULL;
done:
    dltf_learner_free(l);
    return status;
}

dltf_status dltf_learner_new(dltf_matrix X, const dltf_train_options *options, const dltf_model *start,
                             dltf_learner **learner) {
    dltf_train_options wanted = *options;
    if (start && wanted.m == 0) /* take open sizes from the model, not from the data */
        wanted.m = start->parts.m;
    if (start && wanted.k == 0)
        wanted.k = start->parts.k;
    dltf_learner *l = NULL;
    dltf_status status = dl_learner_create(X, &wanted, &l);
    if (status != DLTF_OK)
        return status;
    status = dl_start_dictionary(l, start);
    if (status != DLTF_OK) {
        dltf_learner_free(l);
        return status;
    }
    *learner = l;
    return DLTF_OK;
}

static const dl_stage *current(const dltf_learner *l) {
    return l->stages[l->stage];
}

static void leave_stage(dltf_learner *l) {
    if (l->state)
        current(l)->free(l->state);
    l->state = NULL;
}

void dltf_learner_free(dltf_learner *l) {
    if (!l)
        return;
    leave_stage(l);
    dl_packed_free(&l->W32);
    dl_free(l->W);
    dl_free(l->G);
    dl_free(l->G32);
    dl_free(l->code_sum);
    dl_free(l->E);
    dl_free(l->bias);
    dl_free(l->mean);
    dl_history_free(&l->history);
    dl_free(l);
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

dltf_status dl_learner_enter(dltf_learner *l) {
    if (l->state)
        return DLTF_OK;
    dltf_status status = current(l)->create(l, &l->state);
    if (status != DLTF_OK)
        leave_stage(l);
    return status;
}

bool dl_learner_inside(const dltf_learner *l) {
    return l->index > 0 && l->index < current(l)->length(l);
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
        DL_TRY_NEW(l->E, l->m * l->n);
    if (!l->bias)
        DL_TRY_NEW(l->bias, l->m);
done:
    return status;
}

bool dl_learner_has_encoder(const dltf_learner *l) {
    for (int i = 0; i <= l->stage; i++)
        if (l->stages[i]->makes_encoder)
            return i < l->stage || l->index > 0;
    return false;
}

static bool has_converged(const dltf_learner *l) {
    const dl_history *h = &l->history;
    if (l->options.tolerance == 0 || h->count == 0)
        return false;
    const dltf_iteration *now = &h->records[h->count - 1], *before = h->count > 1 ? now - 1 : NULL;
    if (now->stage != current(l)->name || !current(l)->converged)
        return false;
    return current(l)->converged(l, now, before && before->stage == now->stage ? before : NULL);
}

static dltf_status iterate(dltf_learner *l) {
    const dl_stage *stage = current(l);
    dltf_iteration record = {.stage = stage->name, .index = l->index};
    dltf_status status = dl_history_reserve(&l->history);
    if (status == DLTF_OK)
        status = dl_learner_enter(l);
    if (status == DLTF_OK)
        status = stage->iterate(l, l->state, l->index, &record);
    if (status != DLTF_OK)
        return status;
    const char *bad = dl_history_finish(&record, stage->columns);
    if (bad)
        return dl_fail(DLTF_NUMERIC, "training diverged: %s is not finite in stage %s, iteration %lld: %s",
                       bad, stage->name, (long long)l->index, stage->diverged);
    record.seconds = dltf_seconds() - l->start_time;
    l->index++;
    dl_history_append(&l->history, &record);
    return DLTF_OK;
}

static dltf_progress progress_of(const dltf_learner *l) {
    dltf_progress report = {.task = "learning", .iteration = &l->history.records[l->history.count - 1]};
    for (int i = 0; l->stages[i]; i++) {
        int64_t length = l->stages[i]->length(l), work = l->stages[i]->work(l);
        report.done += work * (i < l->stage ? length : i == l->stage ? l->index : 0);
        report.total += work * length;
    }
    return report;
}

static dltf_status run_stages(dltf_learner *l, dltf_progress_fn progress, void *context,
                              dltf_outcome *outcome) {
    *outcome = has_converged(l) ? DLTF_CONVERGED : DLTF_ITERATION_LIMIT;
    for (;;) {
        int64_t length = current(l)->length(l);
        while (l->index < length) {
            dltf_status status = iterate(l);
            if (status != DLTF_OK)
                return status;
            bool converged = has_converged(l);
            if (converged)
                l->index = length;
            *outcome = converged ? DLTF_CONVERGED : DLTF_ITERATION_LIMIT;
            dltf_progress report = progress_of(l);
            if (progress && progress(context, &report) != 0) {
                *outcome = DLTF_INTERRUPTED;
                return DLTF_OK;
            }
        }
        if (!l->stages[l->stage + 1])
            return DLTF_OK;
        leave_stage(l);
        l->stage++;
        l->index = 0;
    }
}

dltf_status dltf_learner_run(dltf_learner *l, dltf_progress_fn progress, void *context,
                             dltf_outcome *outcome) {
    dltf_status status = run_stages(l, progress, context, outcome);
    return status;
}

dltf_train_options dltf_learner_options(const dltf_learner *l) {
    return l->options;
}

const dltf_iteration *dltf_learner_history(const dltf_learner *l, int64_t *count) {
    *count = l->history.count;
    return l->history.records;
}
