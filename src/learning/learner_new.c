/* Creation of a learner: checks options and data, refuses what the machine cannot hold, allocates what stages
 * share. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "data/matrix.h"
#include "data/model.h"
#include "learning/center.h"
#include "learning/train_options.h"
#include "linalg/blas.h"

#include <math.h>

enum { MAX_HELD_OUT = 2000 }; /* samples */

/* Code, libraries and their buffers, beside what stages allocate. */
static const double PROGRAM_BYTES = 48e6;

/* Checks the data and sets the scale that makes options independent of units: mean ||x||^2 = k. */
static dltf_status prepare_samples(dltf_learner *l, dltf_matrix X) {
    dltf_status status = DLTF_OK;
    l->samples = (dl_samples){
        .X = X, .remove_mean = l->options.remove_mean, .unit_norm = l->options.unit_norm, .scale = 1};
    DL_TRY(dl_learner_center(l));
    l->samples.scale = sqrt((double)l->k / l->summary.mean_square);
    l->weight = 1e4 / (double)l->N;
done:
    return status;
}

/* Rejects a training that exceeds the memory of the machine before anything is allocated: a system that
 * overcommits would kill the process later. Only one stage is in memory at a time. */
static dltf_status check_memory(const dltf_learner *l) {
    double m = (double)l->atoms, n = (double)l->n, machine = dl_memory_of_machine();
    bool limited = l->options.memory > 0 && (double)l->options.memory < machine;
    double allowed = limited ? (double)l->options.memory - PROGRAM_BYTES : machine;
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
    if (shared + most <= allowed)
        return DLTF_OK;
    const char *where = largest ? " in stage " : "", *name = largest ? largest->name : "";
    const char *saving = largest ? largest->saving : "lower m";
    if (limited)
        return dl_fail_option(DLTF_MEMORY, "memory",
                              "m = %lld atoms and N = %lld samples need about %.0f MB of memory%s%s: allow "
                              "more, or %s",
                              (long long)l->m, (long long)l->N,
                              ceil((shared + most + PROGRAM_BYTES) / 1048576), where, name, saving);
    return dl_fail(
        DLTF_MEMORY,
        "m = %lld atoms and N = %lld samples need about %.0f GB of memory%s%s, but this machine has %.0f "
        "GB: %s",
        (long long)l->m, (long long)l->N, (shared + most) / 1e9, where, name, machine / 1e9, saving);
}

static dltf_status allocate(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(l->W, l->atoms * l->n);
    DL_TRY_NEW(l->code_sum, l->atoms);
    if (l->needs_gram) {
        DL_TRY_NEW(l->G, l->m * l->m);
        DL_TRY_NEW(l->G32, l->m * l->m);
        DL_TRY(dl_packed_alloc(&l->W32, l->m, l->n));
    }
done:
    return status;
}

/* As many samples as the options ask for; if they do not say, those that a stage needs. */
static dltf_status hold_out(dltf_learner *l, int64_t rows) {
    const double tenth = 0.1;
    uint64_t seed = (uint64_t)l->options.seed;
    bool needed = false;
    for (int i = 0; l->stages[i]; i++)
        needed = needed || l->stages[i]->holds_out;
    if (l->options.validation > 0) {
        l->holdout = dl_holdout_rows(rows, l->options.validation, rows, seed);
        if (l->holdout.held_out == 0)
            return dl_fail_option(DLTF_ARGUMENT, "validation",
                                  "a share of %g of %lld samples is less than one: raise it",
                                  l->options.validation, (long long)rows);
    } else if (needed)
        l->holdout = dl_holdout_rows(rows, tenth, MAX_HELD_OUT, seed);
    return DLTF_OK;
}

dltf_status dl_learner_create(dltf_matrix X, const dltf_train_options *options, dltf_learner **learner) {
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK)
        status = dl_train_options_check(options);
    if (status != DLTF_OK)
        return status;
    dltf_learner *l = NULL;
    DL_TRY_HANDLE(l, LEARNER);
    l->options = *options;
    dl_train_options_complete(&l->options, X.rows, X.cols, l->choice, sizeof l->choice);
    DL_TRY(dl_train_options_check(&l->options));
    l->threads = dl_thread_count(options->threads);
    l->n = X.cols;
    l->m = l->options.m;
    l->k = l->options.k;
    l->stages = dl_method_stages(&l->options);
    l->by_atoms = l->m > DL_PANEL && !l->options.nested; /* a panel is not divided */
    for (int i = 0; l->stages[i]; i++) {
        l->needs_gram = l->needs_gram || l->stages[i]->needs_gram;
        l->by_atoms = l->by_atoms && l->stages[i]->by_atoms;
    }
    DL_TRY(hold_out(l, X.rows));
    l->N = X.rows - l->holdout.held_out;
    DL_TRY(dl_learner_divide(l));
    l->tau = 1e-3;
    l->outcome = DLTF_ITERATION_LIMIT;
    l->start_time = dl_seconds();
    DL_TRY(check_memory(l));
    DL_TRY(dl_blas_ready(l->threads));
    DL_TRY(prepare_samples(l, X));
    DL_TRY(allocate(l));
    *learner = l;
    l = NULL;
done:
    dltf_learner_free(l);
    return status;
}

dltf_status dltf_learner_new(dltf_matrix X, const dltf_model *start, const dltf_train_options *options,
                             dltf_learner **learner) {
    DL_CLEAR(learner);
    DL_REQUIRE(learner);
    dltf_train_options wanted;
    dltf_status status = DL_READ_OPTIONS(train, options, &wanted);
    if (status == DLTF_OK)
        status = dl_start_check(start, wanted.k);
    if (status != DLTF_OK)
        return status;
    if (start && wanted.m == 0) /* take open sizes from the model, not from the data */
        wanted.m = start->parts.m;
    if (start && wanted.k == 0)
        wanted.k = start->parts.k;
    dltf_learner *l = NULL;
    status = dl_learner_create(X, &wanted, &l);
    if (status != DLTF_OK)
        return status;
    status = dl_start_dictionary(l, start);
    if (status == DLTF_OK)
        status = dl_learner_compare(l, start ? DLTF_SUBJECT_MODEL : DLTF_SUBJECT_DATA);
    if (status != DLTF_OK) {
        dltf_learner_free(l);
        return status;
    }
    *learner = l;
    return DLTF_OK;
}

void dltf_learner_free(dltf_learner *l) {
    if (!l)
        return;
    dl_learner_leave(l);
    dl_packed_free(&l->W32);
    dl_free(l->W);
    dl_free(l->G);
    dl_free(l->G32);
    dl_free(l->code_sum);
    dl_free(l->E);
    dl_free(l->bias);
    dl_free(l->mean);
    dl_free(l->deviation);
    dl_free(l->offset);
    dl_history_free(&l->history);
    dl_free(l);
}
