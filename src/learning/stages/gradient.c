/* Stage `gradient`: dictionary and encoder together, by minibatch gradient descent through max_k
 * (gradient.h).
 *
 * Time and memory are linear in m, which suits large dictionaries. The state that is kept is the one with the
 * smallest error of held-out samples by raw codes, among the start and a few measurements (gradient/plan.h),
 * or the last one if that is better after refit by more than REFIT_MARGIN. The same raw error determines when
 * training stops. If earlier stages have made a model, it is the start of this training and its rival: the
 * one with the smaller error after refit is the result. */
#include "base/clock.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "comm/comm.h"
#include "learning/gradient/descent.h"
#include "learning/gradient/plan.h"
#include "learning/gradient/start.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATIENCE = 3 }; /* evaluations in a row, none below the one before, after which training stops early */
static const double GROWTH_SHARE = 0.8, REFIT_MARGIN = 0.01;
/* An error counts as grown if it exceeds the smallest one by this factor. Errors below ROUNDING are none. */
static const double GREW = 1.1, ROUNDING = 1e-5;
/* It still falls if it is below the one before by more than this share. */
static const double SETTLED = 1e-3;

typedef struct gradient {
    dl_descent d;
    dl_parameters best;  /* the state with the smallest held-out error so far */
    dl_parameters rival; /* the model of earlier stages; NULL without */
    double best_error, last_error;
    double stale;   /* evaluations in a row whose error did not fall, in the second half */
    double seconds; /* spent in this stage */
    double clock;   /* when they were last counted */
} gradient;

static bool has_rival(const dltf_learner *l) {
    return l->options.encoder == DLTF_ENCODER_BEST;
}

static int64_t work(const dltf_learner *l) {
    return dl_plan_batch(l) * dl_plan_steps(l) / dl_plan_rounds(l) + 1;
}

static dltf_status admit(const dltf_learner *l) {
    return l->options.nested ? dl_nested_admit(l->m, l->k) : DLTF_OK;
}

/* ---- Memory ---- */

static dltf_status create(dltf_learner *l, void **state) {
    dltf_status status = DLTF_OK;
    gradient *s = NULL;
    DL_TRY_NEW(s, 1);
    *state = s;
    DL_TRY(dl_descent_alloc(&s->d, l, true));
    DL_TRY(dl_parameters_alloc(&s->best, l->atoms, l->n));
    if (has_rival(l))
        DL_TRY(dl_parameters_alloc(&s->rival, l->atoms, l->n));
    DL_TRY(dl_learner_make_encoder(l));
done:
    return status;
}

static void free_state(void *state) {
    gradient *s = state;
    dl_descent_free(&s->d);
    dl_parameters_free(&s->best);
    dl_parameters_free(&s->rival);
    dl_free(s);
}

static double bytes(const dltf_learner *l) {
    double matrix = (double)l->atoms * (double)l->n, encoder = 8 * matrix, best = 8 * matrix;
    return encoder + (has_rival(l) ? 2 : 1) * best +
           dl_gradient_bytes(l->threads, l->atoms, l->n, l->k, l->options.nested, dl_plan_batch(l));
}

/* ---- The start ---- */

/* The least-squares factor from the reconstructions R to the samples Y, <R, Y> / <R, R>, and the relative
 * error with it. Without a bias it changes no support. */
static double best_scale(const dltf_learner *l, gradient *s, double *error) {
    int64_t count = dl_plan_evaluation_samples(l);
    double along = 0, square = 0, energy = 0;
    for (int64_t first = 0; first < count; first += s->d.g.room) {
        dl_descent_validation_batch(&s->d, l, first, count);
        for (int64_t i = 0; i < s->d.g.rows * l->n; i++) {
            double y = (double)s->d.g.Y[i], r = y - (double)s->d.g.R[i];
            along += r * y;
            square += r * r;
            energy += y * y;
        }
    }
    double scale = along > 0 && square > 0 ? along / square : 1;
    *error = energy > 0 ? 1 - scale * (2 * along - scale * square) / energy : 0;
    return scale;
}

static dltf_status start_from_dual(dltf_learner *l, gradient *s) {
    dl_gradient *g = &s->d.g;
    dltf_status status = dl_gradient_start_dual(g, l);
    if (status != DLTF_OK)
        return status;
    dl_gradient_pack(g);
    float scale = (float)best_scale(l, s, &s->best_error);
    for (int64_t i = 0; i < l->atoms * l->n; i++)
        g->E.value[i] *= scale;
    dl_gradient_pack(g);
    return DLTF_OK;
}

/* Initial state: W of the learner, and the encoder of earlier stages or of the starting model, or else the
 * dual of W, scaled for the smallest error, and b = 0. */
static dltf_status start(dltf_learner *l, gradient *s) {
    dltf_status status = DLTF_OK;
    if (l->warm_encoder || has_rival(l)) {
        dl_gradient_from_learner(&s->d.g, l, true);
        s->best_error = dl_descent_error(&s->d, l, dl_plan_evaluation_samples(l));
    } else
        DL_TRY(start_from_dual(l, s));
    dl_parameters_copy(l, s->best, dl_descent_parameters(&s->d));
    if (has_rival(l)) {
        dl_parameters_copy(l, s->rival, s->best);
        s->best_error = DBL_MAX; /* compared at the end, and by another error */
    }
    dl_gradient_activate(&s->d.g, dl_plan_atoms(l, 0));
    if (!dl_poll())
        status = DLTF_CANCELLED;
done:
    return status;
}

/* ---- Evaluation ---- */

/* From 0 to 1, by steps or by time, whichever is further. */
static double share_done(const dltf_learner *l, const gradient *s, int64_t step) {
    double by_steps = (double)step / (double)dl_plan_steps(l);
    return l->options.seconds > 0 ? fmax(by_steps, s->seconds / l->options.seconds) : by_steps;
}

/* Whether the held-out error is measured after this round: every few rounds and after the last. */
static bool is_due(const dltf_learner *l, int64_t index, double done) {
    int64_t rounds = dl_plan_rounds(l), count = dl_min(dl_plan_evaluations(l), rounds);
    if (done >= 1)
        return true;
    return (index + 1) * count / rounds > index * count / rounds;
}

/* At a constant rate the error reaches a plateau from which only the falling rate of the second half leads
 * down, so that the first half does not count as lack of improvement; nor do rounds in which atoms join.
 */
static dltf_status evaluate(dltf_learner *l, gradient *s, int64_t index) {
    double done = share_done(l, s, dl_plan_first_step(l, index + 1));
    if (!is_due(l, index, done))
        return DLTF_OK;
    double error = dl_descent_error(&s->d, l, dl_plan_evaluation_samples(l));
    if (!dl_poll())
        return DLTF_CANCELLED;
    bool falls = error < (1 - SETTLED) * s->last_error;
    s->stale = falls || done <= 0.5 || s->d.g.active < l->m ? 0 : s->stale + 1;
    s->last_error = error;
    if (error < s->best_error) {
        s->best_error = error;
        dl_parameters_copy(l, s->best, dl_descent_parameters(&s->d));
    }
    return DLTF_OK;
}

/* The error no longer falls, or there is none. */
static bool has_settled(const dltf_learner *l, const gradient *s) {
    return l->options.tolerance > 0 && (s->stale >= PATIENCE || s->best_error <= ROUNDING);
}

static bool ends(const dltf_learner *l, const gradient *s, int64_t index) {
    return share_done(l, s, dl_plan_first_step(l, index + 1)) >= 1 || has_settled(l, s);
}

static dl_parameters the_better(dltf_learner *l, gradient *s) {
    int64_t count = dl_learner_check_count(l);
    dl_descent_use(&s->d, l, s->best);
    double learned = dl_descent_refit_error(&s->d, l, count);
    dl_descent_use(&s->d, l, s->rival);
    double rival = dl_descent_refit_error(&s->d, l, count);
    bool wins = learned < rival;
    snprintf(l->choice, sizeof l->choice, "%s: relative error after refit %.4f, %s %.4f, on %lld %s samples",
             wins ? "learned" : "distilled", wins ? learned : rival, wins ? "distilled" : "learned",
             wins ? rival : learned, (long long)dl_learner_check_count(l),
             l->holdout.held_out > 0 ? "held-out" : "training");
    return wins ? s->best : s->rival;
}

/* Replaces the best state by the last one if the last one is better after refit and its raw error has not
 * grown.
 */
static void reconsider(const dltf_learner *l, gradient *s) {
    int64_t count = dl_plan_evaluation_samples(l);
    if (s->last_error <= s->best_error || s->last_error > GREW * s->best_error)
        return;
    double of_last = dl_descent_refit_error(&s->d, l, count);
    dl_descent_swap(&s->d, &s->best);
    double of_best = dl_descent_refit_error(&s->d, l, count);
    if (of_best <= (1 + REFIT_MARGIN) * of_last)
        dl_descent_swap(&s->d, &s->best);
}

/* The best state, or the rival if that has the smaller error. */
static dl_parameters choose(dltf_learner *l, gradient *s) {
    s->d.g.polled = false; /* the parameters in use are no longer those of the training */
    reconsider(l, s);
    return has_rival(l) ? the_better(l, s) : s->best;
}

/* ---- The iteration ---- */

static void count_seconds(const dltf_learner *l, gradient *s) {
    double now = dl_seconds();
    s->seconds += now - s->clock;
    s->clock = now;
    if (l->options.seconds > 0) /* all ranks stop at the same step */
        dl_comm_broadcast(&s->seconds, sizeof s->seconds);
}

static bool plan(const dltf_learner *l, void *state, int64_t step, dl_gradient_rule *rule) {
    gradient *s = state;
    count_seconds(l, s);
    double done = share_done(l, s, step);
    dl_gradient_activate(&s->d.g, dl_max(s->d.g.active, dl_plan_atoms(l, done)));
    *rule = dl_plan_rule(l->m, l->k, s->d.g.positive, (float)dl_plan_rate(l, step, done));
    if (done >= GROWTH_SHARE)
        rule->patience = 0;
    return done < 1;
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    dltf_status status = DLTF_OK;
    gradient *s = state;
    s->clock = dl_seconds();
    if (index == 0 && !l->partway)
        DL_TRY(start(l, s));
    DL_TRY(dl_descent_round(&s->d, l, dl_plan_first_step(l, index), dl_plan_first_step(l, index + 1), plan, s,
                            &record->relative_error));
    count_seconds(l, s);
    DL_TRY(evaluate(l, s, index));
    if (ends(l, s, index)) {
        dl_gradient_to_learner(l, choose(l, s));
        l->ahead = false;
    }
done:
    return status;
}

/* The held-out error no longer decreases, or time is up. The learner has the best state. */
static bool converged(const dltf_learner *l, const dltf_iteration *now, const dltf_iteration *before) {
    (void)before;
    const gradient *s = l->state;
    return s && now->index + 1 < dl_plan_rounds(l) && ends(l, s, now->index);
}

static dltf_outcome outcome(const dltf_learner *l) {
    const gradient *s = l->state;
    if (!has_rival(l) && s->best_error > ROUNDING && s->last_error > GREW * s->best_error)
        return DLTF_ERROR_GREW;
    if (has_settled(l, s))
        return DLTF_CONVERGED;
    bool late = l->options.seconds > 0 && s->seconds >= l->options.seconds;
    return late ? DLTF_TIME_LIMIT : DLTF_ITERATION_LIMIT;
}

/* The round of index `index` is the last that was done. */
static int64_t seen(const dltf_learner *l) {
    const gradient *s = l->state;
    return dl_plan_batch(l) * (dl_plan_first_step(l, l->index) + (int64_t)s->d.round[0]);
}

/* ---- Checkpoints ---- */

static int fields(const dltf_learner *l, void *state, dl_field *list) {
    gradient *s = state;
    dl_field own[] = {
        {"gradient.best.W", DL_TENSOR_F32, l->m, l->n, s->best.W},
        {"gradient.best.E", DL_TENSOR_F32, l->m, l->n, s->best.E},
        {"gradient.best.b", DL_TENSOR_F32, l->m, 0, s->best.b},
        {"gradient.best.code_sum", DL_TENSOR_F64, l->m, 0, s->best.code_sum},
        {"gradient.best_error", DL_TENSOR_F64, 1, 0, &s->best_error},
        {"gradient.last_error", DL_TENSOR_F64, 1, 0, &s->last_error},
        {"gradient.stale", DL_TENSOR_F64, 1, 0, &s->stale},
        {"gradient.seconds", DL_TENSOR_F64, 1, 0, &s->seconds},
        {"gradient.rival.W", DL_TENSOR_F32, l->m, l->n, s->rival.W},
        {"gradient.rival.E", DL_TENSOR_F32, l->m, l->n, s->rival.E},
        {"gradient.rival.b", DL_TENSOR_F32, l->m, 0, s->rival.b},
        {"gradient.rival.code_sum", DL_TENSOR_F64, l->m, 0, s->rival.code_sum},
    };
    enum { ALL = sizeof own / sizeof *own, OF_RIVAL = 4 };
    int count = dl_descent_fields(&s->d, list), added = has_rival(l) ? ALL : ALL - OF_RIVAL;
    memcpy(list + count, own, (size_t)added * sizeof *own);
    return count + added;
}

static dltf_status restored(const dltf_learner *l, void *state) {
    int64_t steps = dl_plan_first_step(l, l->index + 1) - dl_plan_first_step(l, l->index);
    return dl_descent_restored(&((gradient *)state)->d, l, steps);
}

static void publish(const dltf_learner *l, void *state) {
    dl_gradient_to_learner(l, dl_descent_parameters(&((gradient *)state)->d));
}

const dl_stage dl_stage_gradient = {
    .name = "gradient",
    .columns = DL_RELATIVE_ERROR,
    .diverged = "rescale the data",
    .saving = "lower m",
    .makes_encoder = true,
    .by_atoms = true,
    .holds_out = true,
    .length = dl_plan_rounds,
    .admit = admit,
    .bytes = bytes,
    .work = work,
    .create = create,
    .iterate = iterate,
    .converged = converged,
    .outcome = outcome,
    .seen = seen,
    .free = free_state,
    .fields = fields,
    .restored = restored,
    .publish = publish,
};
