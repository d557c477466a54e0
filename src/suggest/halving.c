/* The schedule of trials. Every round has four times the samples per trial of the one before, and a quarter
 * of the settings, so that all rounds cost about the same. */
#include "suggest/halving.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Round 0 is one trial, which measures the speed of the machine. */
static const int64_t SAMPLES[DL_HALVING_ROUNDS] = {3000, 12000, 48000, 192000};
/* Of the CPU time that is left, at most, for a round. */
static const double SHARE[DL_HALVING_ROUNDS] = {1, 0.6, 0.6, 1};
enum { MOST_DIVISOR = 4, KEEP = 4 };

/* By how much a costlier setting must lower the unexplained variance to be chosen: twice the entries, twice
 * the atoms, positive codes instead of the default, the slower encoder. Centring costs nothing: the mean is
 * stored once, in the model. */
static const double GAIN_K = 0.3, GAIN_M = 0.05, GAIN_POSITIVE = 0.02, GAIN_ENCODER = 0.03;
static const double EXACT = 1e-6; /* unexplained variance that is as good as none */

/* A factor that grows by 1 / (1 - gain) whenever x doubles. */
static double price(double x, double gain) {
    return pow(x, -log2(1 - gain));
}

double dl_halving_score(const dl_trial *t) {
    const dl_setting *s = &t->with;
    double numbers = t->entries + (s->remove_mean ? 1 : 0); /* its own mean, to restore a sample */
    return fmax(t->unexplained, EXACT) * price(numbers, GAIN_K) * price((double)s->m, GAIN_M) *
           (s->select == DLTF_SELECT_POSITIVE ? 1 / (1 - GAIN_POSITIVE) : 1) *
           (s->encoder == DLTF_ENCODER_BEST ? 1 / (1 - GAIN_ENCODER) : 1);
}

/* Equal scores are told apart, so that the order does not depend on qsort. */
static int compare_trials(const void *a, const void *b) {
    const dl_trial *x = a, *y = b;
    double p = dl_halving_score(x), q = dl_halving_score(y);
    if (p < q || p > q)
        return p < q ? -1 : 1;
    if (x->with.m != y->with.m)
        return x->with.m < y->with.m ? -1 : 1;
    if (x->with.k != y->with.k)
        return x->with.k < y->with.k ? -1 : 1;
    if (x->with.select != y->with.select)
        return x->with.select < y->with.select ? -1 : 1;
    return (x->with.center + 2 * x->with.remove_mean) - (y->with.center + 2 * y->with.remove_mean);
}

/* CPU time so far. */
static double used(const dl_halving *h) {
    return dl_cpu_seconds() - h->begin;
}

static void sort_from(dl_halving *h, int begin) {
    qsort(h->trials + begin, (size_t)(h->count - begin), sizeof *h->trials, compare_trials);
    h->chosen = begin;
}

/* ---- One trial ---- */

/* CPU time per unit of work; a guess before any trial. */
static double speed(const dl_halving *h) {
    return h->work > 0 ? h->work_seconds / h->work : 6e-11;
}

/* One bar for all trials, by work or by the budget, whichever is further. */
static int follow(void *context, const dltf_progress *progress) {
    dl_halving *h = context;
    const double fine = 1e6;
    double inside = progress->total > 0 ? (double)progress->done / (double)progress->total : 0;
    double work = h->work + fmin(inside, 1) * dl_trial_work(&h->data, h->running);
    double share = fmax(fmin(work / h->planned_work, 0.99), fmin(used(h) / h->seconds, 1));
    dltf_progress all = {.task = "trying", .done = (int64_t)(fine * share), .total = (int64_t)fine};
    h->cancelled = h->cancelled || (h->progress && h->progress(h->context, &all) != 0);
    return h->cancelled || used(h) > h->seconds;
}

/* Runs a trial if it is expected to end by `limit`. A setting that cannot be trained, for example because
 * centering leaves nothing of the samples, is the worst of all, but no failure. */
static dltf_status try(dl_halving *h, dl_setting with, int64_t samples, double limit) {
    const double margin = 1.15;
    dl_trial *t = &h->trials[h->count];
    *t = (dl_trial){.with = with, .samples = samples};
    if (h->count > 0 && used(h) + margin * speed(h) * dl_trial_work(&h->data, t) > limit) {
        h->skipped++;
        return DLTF_OK;
    }
    double begin = used(h);
    h->running = t;
    dltf_status status = dl_trial_run(&h->data, t, follow, h);
    h->work += dl_trial_work(&h->data, t);
    h->work_seconds += used(h) - begin;
    if (status == DLTF_CANCELLED && !h->cancelled) {
        h->stopped = true;
        return DLTF_OK;
    }
    h->count += status == DLTF_OK;
    if (status != DLTF_DATA && status != DLTF_NUMERIC)
        return status;
    h->impossible = status;
    return DLTF_OK;
}

/* ---- Settings ---- */

bool dl_halving_tries_remove_mean(const dl_halving *h) {
    return h->data.n >= 4;
}

dl_setting dl_halving_usual(const dl_halving *h) {
    int64_t m = h->m.values[0], k = h->k.values[h->k.count / 2];
    return (dl_setting){.m = m,
                        .k = k < m ? k : h->k.values[0],
                        .select = h->abs ? DLTF_SELECT_ABS : DLTF_SELECT_POSITIVE,
                        .unit_norm = h->unit_norm,
                        .encoder = DLTF_ENCODER_LEARNED};
}

static int differences(const dl_setting *a, const dl_setting *b) {
    return (a->m != b->m) + (a->k != b->k) + (a->select != b->select) +
           (a->center != b->center || a->remove_mean != b->remove_mean);
}

/* All settings, beginning with the usual one and those that differ from it in one respect, because the budget
 * may not suffice for the others. Returns their number. */
static int list_settings(const dl_halving *h, dl_setting *list) {
    const dl_setting usual = dl_halving_usual(h);
    enum { NONE, CENTER, REMOVE_MEAN, PREPROCESSINGS, RESPECTS = 4 };
    int count = 0;
    for (int respects = 0; respects <= RESPECTS; respects++)
        for (int m = 0; m < h->m.count; m++)
            for (int k = 0; k < h->k.count && h->k.values[k] <= h->m.values[m]; k++)
                for (int means = NONE; means < PREPROCESSINGS - !dl_halving_tries_remove_mean(h); means++)
                    for (int positive = !h->abs; positive <= h->positive; positive++) {
                        dl_setting s = usual;
                        s.m = h->m.values[m];
                        s.k = h->k.values[k];
                        s.center = means == CENTER;
                        s.remove_mean = means == REMOVE_MEAN;
                        s.select = positive ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
                        if (differences(&s, &usual) == respects)
                            list[count++] = s;
                    }
    return count;
}

/* ---- Rounds ---- */

static int64_t samples_of(const dl_halving *h, int round) {
    return SAMPLES[round] / h->divisor;
}

static double work_of(const dl_halving *h, const dl_setting *list, int count, int64_t samples) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += dl_trial_work(&h->data, &(dl_trial){.with = list[i], .samples = samples});
    return sum;
}

/* Fewer samples per trial if the budget is too small for all settings. */
static void choose_divisor(dl_halving *h, const dl_setting *list, int count) {
    double time = SHARE[1] * (h->seconds - used(h));
    while (h->divisor < MOST_DIVISOR && speed(h) * work_of(h, list, count, samples_of(h, 1)) > time)
        h->divisor *= 2;
}

/* A quarter of a round, and the best setting for every m and every k: large dictionaries need many samples to
 * show what they gain, and the user may prefer another k. The trials are sorted, best first. */
static bool survives(const dl_trial *trials, int count, int i) {
    bool best_m = true, best_k = true;
    for (int j = 0; j < i; j++) {
        best_m = best_m && trials[j].with.m != trials[i].with.m;
        best_k = best_k && trials[j].with.k != trials[i].with.k;
    }
    return i < (count + KEEP - 1) / KEEP || best_m || best_k;
}

static int list_survivors(const dl_halving *h, dl_setting *list) {
    int begin = h->first[h->rounds - 1], tried = h->count - begin, count = 0;
    for (int i = 0; i < tried; i++)
        if (survives(h->trials + begin, tried, i))
            list[count++] = h->trials[begin + i].with;
    return count;
}

/* The first of `list` is the best so far. If it does not fit, the round has no trials; if only it fits, it
 * remains the choice. */
static dltf_status run_round(dl_halving *h, int round, const dl_setting *list, int count) {
    double now = used(h), limit = now + SHARE[round] * (h->seconds - now);
    dltf_status status = DLTF_OK;
    int begin = h->count;
    for (int i = 0; i < count && status == DLTF_OK && !h->stopped && (i == 0 || h->count > begin); i++)
        status = try(h, list[i], samples_of(h, round), limit);
    if (h->count == begin)
        return status;
    h->first[h->rounds++] = begin;
    sort_from(h, begin);
    return status;
}

int dl_halving_last_round(const dl_halving *h) {
    return h->first[h->rounds - 1];
}

/* Encoder best, with the settings of the last round that are close to the winner: it may gain more with one
 * than with another. */
static dltf_status try_best_encoder(dl_halving *h) {
    const double close = 1.1;
    int begin = dl_halving_last_round(h), end = h->count;
    double most = close * dl_halving_score(&h->trials[begin]);
    dltf_status status = DLTF_OK;
    for (int i = begin; i < end && status == DLTF_OK && !h->stopped; i++) {
        dl_setting with = h->trials[i].with;
        if (with.m > DL_HALVING_MOST_ATOMS_FOR_BEST || dl_halving_score(&h->trials[i]) > most)
            continue;
        with.encoder = DLTF_ENCODER_BEST;
        status = try(h, with, h->trials[i].samples, h->seconds);
    }
    h->best_tried = h->count - end;
    sort_from(h, begin);
    return status;
}

bool dl_halving_budget_bound(const dl_halving *h) {
    return h->stopped || h->skipped > 0 || h->divisor > 1;
}

dltf_status dl_halving_run(dl_halving *h) {
    dl_setting *list = DL_NEW(dl_setting, DL_HALVING_SETTINGS);
    if (!list)
        return DLTF_MEMORY;
    int count = list_settings(h, list);
    h->begin = dl_cpu_seconds();
    h->chosen = -1;
    h->divisor = 1;
    h->planned_work = DL_HALVING_ROUNDS * work_of(h, list, count, samples_of(h, 1));
    dltf_status status = run_round(h, 0, list, 1);
    choose_divisor(h, list, count);
    for (int round = 1; round < DL_HALVING_ROUNDS && status == DLTF_OK && !h->stopped; round++) {
        status = run_round(h, round, list, count);
        count = h->rounds > 0 ? list_survivors(h, list) : 0;
    }
    if (status == DLTF_OK && h->chosen >= 0)
        status = try_best_encoder(h);
    h->used = used(h);
    dl_free(list);
    return status == DLTF_OK && h->chosen < 0 && !h->stopped ? h->impossible : status;
}
