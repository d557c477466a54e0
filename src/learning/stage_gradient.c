/* Stage `gradient`: dictionary and encoder together, by minibatch gradient descent through max_k
 * (gradient.h).
 *
 * Time and memory are linear in m, which suits large dictionaries. The error of held-out samples determines
 * which state is kept and when training stops. If earlier stages have made a model, it is the start of
 * this training and its rival: the one with the smaller error after refit is the result. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/dual.h"
#include "learning/gradient_learner.h"
#include "learning/gradient_plan.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    EVALUATIONS = 20,     /* of the held-out error in a training */
    PATIENCE = 5,         /* evaluations without improvement before it stops early */
    START_SAMPLES = 2000, /* used to scale the initial encoder */
};
static const double RIDGE = 0.1, GROWTH_SHARE = 0.8, IDLE = 20;
static const float GROWTH = 1.02f;

/* A dictionary and its encoder, with the sums of codes that decide the signs of its atoms. */
typedef struct parameters {
    float *W, *E, *b; /* m x n, m x n, m */
    double *code_sum; /* m */
} parameters;

typedef struct gradient {
    dl_gradient g;
    dl_samples samples; /* mean ||y||^2 = 1 */
    double *row;        /* threads x n: work space for loading */
    parameters best;    /* the state with the smallest held-out error so far */
    parameters rival;   /* the model of earlier stages; NULL without */
    double best_error, held_out_error;
    double stale;   /* evaluations since the best one, in the second half */
    double seconds; /* spent in this stage */
} gradient;

static bool has_rival(const dltf_learner *l) {
    return l->options.encoder == DLTF_ENCODER_BEST;
}

static int64_t work(const dltf_learner *l) {
    return dl_plan_batch(l) * dl_plan_steps(l) / dl_plan_rounds(l) + 1;
}

/* ---- Memory ---- */

static dltf_status parameters_alloc(parameters *p, int64_t m, int64_t n) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(p->W, m * n);
    DL_TRY_NEW(p->E, m * n);
    DL_TRY_NEW(p->b, m);
    DL_TRY_NEW(p->code_sum, m);
done:
    return status;
}

static void parameters_free(parameters *p) {
    dl_free(p->W);
    dl_free(p->E);
    dl_free(p->b);
    dl_free(p->code_sum);
}

static parameters current(const gradient *s) {
    return (parameters){s->g.W.value, s->g.E.value, s->g.b.value, s->g.code_sum};
}

static void parameters_copy(const dltf_learner *l, parameters to, parameters from) {
    size_t size = (size_t)(l->m * l->n) * sizeof(float);
    memcpy(to.W, from.W, size);
    memcpy(to.E, from.E, size);
    memcpy(to.b, from.b, (size_t)l->m * sizeof(float));
    memcpy(to.code_sum, from.code_sum, (size_t)l->m * sizeof(double));
}

static dltf_status create(dltf_learner *l, void **state) {
    dltf_status status = DLTF_OK;
    gradient *s = NULL;
    bool positive = l->options.select == DLTF_SELECT_POSITIVE;
    DL_TRY_NEW(s, 1);
    *state = s;
    DL_TRY(dl_gradient_alloc(&s->g, l->threads, l->m, l->n, l->k, positive, dl_plan_batch(l)));
    DL_TRY_NEW(s->row, l->threads * l->n);
    DL_TRY(parameters_alloc(&s->best, l->m, l->n));
    if (has_rival(l)) {
        DL_TRY(parameters_alloc(&s->rival, l->m, l->n));
        DL_TRY(dl_gradient_alloc_refit(&s->g));
    }
    DL_TRY(dl_learner_make_encoder(l));
    s->samples = dl_gradient_samples(l);
done:
    return status;
}

static void free_state(void *state) {
    gradient *s = state;
    dl_gradient_free(&s->g);
    dl_free(s->row);
    parameters_free(&s->best);
    parameters_free(&s->rival);
    dl_free(s);
}

static double bytes(const dltf_learner *l) {
    double matrix = (double)l->m * (double)l->n, encoder = 8 * matrix, best = 8 * matrix;
    return encoder + (has_rival(l) ? 2 : 1) * best +
           dl_gradient_bytes(l->threads, l->m, l->n, l->k, dl_plan_batch(l));
}

/* ---- Batches ---- */

typedef struct batch {
    const dltf_learner *l;
    gradient *s;
    int64_t step;  /* -1: held-out samples, or all if none are held out, */
    int64_t first; /* from this one on */
} batch;

static void load_sample(void *context, int64_t i, int worker) {
    const batch *b = context;
    int64_t n = b->l->n;
    const dl_split *split = &b->l->split;
    int64_t row = b->step >= 0          ? dl_split_training(split, dl_plan_sample(b->l, b->step, i))
                  : split->held_out > 0 ? dl_split_held_out(split, b->first + i)
                                        : b->first + i;
    dl_samples_row(&b->s->samples, row, b->s->row + worker * n, b->s->g.Y + i * n);
}

/* Loads and codes `rows` samples. */
static dl_gradient_error code_batch(batch b, int64_t rows) {
    b.s->g.rows = rows;
    dl_parallel(b.l->threads, rows, load_sample, &b);
    return dl_gradient_code(&b.s->g);
}

/* With too few samples to hold any out, all take their place. */
static int64_t held_out_count(const dltf_learner *l) {
    return l->split.held_out > 0 ? l->split.held_out : l->N;
}

/* The relative error of the held-out samples. */
static double held_out_error(const dltf_learner *l, gradient *s) {
    dl_gradient_error sum = {0, 0};
    int64_t count = held_out_count(l);
    for (int64_t first = 0; first < count; first += s->g.room) {
        dl_gradient_error error = code_batch((batch){l, s, -1, first}, dl_min(count - first, s->g.room));
        sum.left += error.left;
        sum.energy += error.energy;
    }
    return sum.energy > 0 ? sum.left / sum.energy : 0;
}

/* ---- The start ---- */

/* The least-squares factor from the reconstructions R to the samples Y: <R, Y> / <R, R>. */
static double best_scale(const dltf_learner *l, gradient *s) {
    int64_t count = dl_min(held_out_count(l), START_SAMPLES);
    double along = 0, square = 0;
    for (int64_t first = 0; first < count; first += s->g.room) {
        int64_t rows = dl_min(count - first, s->g.room);
        code_batch((batch){l, s, -1, first}, rows);
        for (int64_t i = 0; i < rows * l->n; i++) {
            double y = (double)s->g.Y[i], r = y - (double)s->g.R[i];
            along += r * y;
            square += r * r;
        }
    }
    return along > 0 && square > 0 ? along / square : 1;
}

/* Initial state: W of the learner, and the encoder of earlier stages or of the starting model, or else the
 * dual of W, scaled for the smallest error, and b = 0. */
static dltf_status start(dltf_learner *l, gradient *s) {
    dltf_status status = DLTF_OK;
    int64_t entries = l->m * l->n, size = l->m < l->n ? l->m : l->n;
    double *factor = NULL;
    bool given = l->warm_encoder || has_rival(l);
    DL_TRY_NEW(factor, size * size);
    if (!given)
        dl_dual_encoder(l->threads, l->W, l->m, l->n, RIDGE * (double)l->m / (double)l->n, factor, l->E);
    dl_gradient_from_learner(&s->g, l, given);
    if (!given) {
        float scale = (float)best_scale(l, s);
        for (int64_t i = 0; i < entries; i++)
            s->g.E.value[i] *= scale;
        dl_gradient_pack(&s->g);
    }
    memcpy(s->g.code_sum, l->code_sum, (size_t)l->m * sizeof *l->code_sum);
    s->best_error = s->held_out_error = held_out_error(l, s);
    parameters_copy(l, s->best, current(s));
    if (has_rival(l)) {
        parameters_copy(l, s->rival, current(s));
        s->best_error = DBL_MAX; /* compared at the end, and by another error */
    }
done:
    dl_free(factor);
    return status;
}

/* ---- Evaluation ---- */

/* From 0 to 1, by steps or by time, whichever is further. */
static double share_done(const dltf_learner *l, const gradient *s, int64_t step) {
    double by_steps = (double)step / (double)dl_plan_steps(l);
    return l->options.seconds > 0 ? fmax(by_steps, s->seconds / l->options.seconds) : by_steps;
}

/* Computes the held-out error every few rounds and after the last. At a constant rate the error reaches a
 * plateau from which only the falling rate of the second half leads down, so that the first half does not
 * count as lack of improvement. */
static void evaluate(const dltf_learner *l, gradient *s, int64_t index) {
    int64_t rounds = dl_plan_rounds(l), every = dl_max(1, rounds / EVALUATIONS);
    double done = share_done(l, s, dl_plan_first_step(l, index + 1));
    if (done < 1 && (index + 1) % every != 0)
        return;
    s->held_out_error = held_out_error(l, s);
    s->stale += done > 0.5;
    if (s->held_out_error < s->best_error) {
        s->best_error = s->held_out_error;
        s->stale = 0;
        parameters_copy(l, s->best, current(s));
    }
}

static bool ends(const dltf_learner *l, const gradient *s, int64_t index) {
    return share_done(l, s, dl_plan_first_step(l, index + 1)) >= 1 ||
           (l->options.tolerance > 0 && s->stale >= PATIENCE);
}

/* The held-out error of other parameters, with values of codes by least squares. */
static double refit_error(const dltf_learner *l, gradient *s, parameters p) {
    parameters_copy(l, current(s), p);
    dl_gradient_pack(&s->g);
    s->g.refit = true;
    double error = held_out_error(l, s);
    s->g.refit = false;
    return error;
}

/* The best state, or the rival if that has the smaller error. */
static parameters choose(dltf_learner *l, gradient *s) {
    if (!has_rival(l))
        return s->best;
    double learned = refit_error(l, s, s->best), rival = refit_error(l, s, s->rival);
    bool wins = learned < rival;
    snprintf(l->choice, sizeof l->choice, "%s: relative error after refit %.4f, %s %.4f, on %lld %s samples",
             wins ? "learned" : "distilled", wins ? learned : rival, wins ? "distilled" : "learned",
             wins ? rival : learned, (long long)held_out_count(l),
             l->split.held_out > 0 ? "held-out" : "training");
    return wins ? s->best : s->rival;
}

/* Copies the current state, or at the end the result, to the learner. */
static void publish(dltf_learner *l, gradient *s, bool last) {
    parameters p = last ? choose(l, s) : current(s);
    dl_gradient_to_learner(l, p.W, p.E, p.b);
    memcpy(l->code_sum, p.code_sum, (size_t)l->m * sizeof *l->code_sum);
}

static double idle_share(const dltf_learner *l, const gradient *s, int64_t patience) {
    int64_t idle = 0;
    for (int64_t j = 0; j < l->m; j++)
        idle += s->g.idle[j] > patience;
    return (double)idle / (double)l->m;
}

/* ---- The iteration ---- */

/* One step; returns the error of its batch. */
static dl_gradient_error descend(const dltf_learner *l, gradient *s, int64_t step, int64_t patience) {
    double done = share_done(l, s, step);
    float rate = (float)dl_plan_rate(l, step, done);
    dl_gradient_rule rule = {
        .rate = rate, .tie = 2 * rate, .patience = done < GROWTH_SHARE ? patience : 0, .growth = GROWTH};
    dl_gradient_error error = code_batch((batch){l, s, step, 0}, dl_plan_batch(l));
    dl_gradient_step(&s->g, &rule);
    return error;
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    gradient *s = state;
    dl_gradient_error sum = {0, 0};
    int64_t patience = (int64_t)ceil(IDLE * (double)l->m / (double)l->k);
    double begin = dltf_seconds(), before = s->seconds;
    if (index == 0) {
        dltf_status status = start(l, s);
        if (status != DLTF_OK)
            return status;
    }
    memset(s->g.code_sum, 0, (size_t)l->m * sizeof *s->g.code_sum);
    int64_t first = dl_plan_first_step(l, index), last = dl_plan_first_step(l, index + 1);
    for (int64_t step = first; step < last && share_done(l, s, step) < 1; step++) {
        dl_gradient_error error = descend(l, s, step, patience);
        sum.left += error.left;
        sum.energy += error.energy;
        s->seconds = before + dltf_seconds() - begin;
    }
    record->relative_error = sum.energy > 0 ? sum.left / sum.energy : 0;
    evaluate(l, s, index);
    record->held_out_error = s->held_out_error;
    record->unused_share = idle_share(l, s, patience);
    publish(l, s, ends(l, s, index));
    return DLTF_OK;
}

/* The held-out error no longer decreases. publish has copied the best state to the learner. */
static bool converged(const dltf_learner *l, const dltf_iteration *now, const dltf_iteration *before) {
    (void)before;
    const gradient *s = l->state;
    return s && now->index + 1 < dl_plan_rounds(l) && ends(l, s, now->index);
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
        {"gradient.held_out_error", DL_TENSOR_F64, 1, 0, &s->held_out_error},
        {"gradient.stale", DL_TENSOR_F64, 1, 0, &s->stale},
        {"gradient.seconds", DL_TENSOR_F64, 1, 0, &s->seconds},
        {"gradient.rival.W", DL_TENSOR_F32, l->m, l->n, s->rival.W},
        {"gradient.rival.E", DL_TENSOR_F32, l->m, l->n, s->rival.E},
        {"gradient.rival.b", DL_TENSOR_F32, l->m, 0, s->rival.b},
        {"gradient.rival.code_sum", DL_TENSOR_F64, l->m, 0, s->rival.code_sum},
    };
    enum { ALL = sizeof own / sizeof *own, OF_RIVAL = 4 };
    int count = dl_gradient_fields(&s->g, list), added = has_rival(l) ? ALL : ALL - OF_RIVAL;
    memcpy(list + count, own, (size_t)added * sizeof *own);
    return count + added;
}

static dltf_status restored(const dltf_learner *l, void *state) {
    return dl_gradient_restored(&((gradient *)state)->g, l);
}

const dl_stage dl_stage_gradient = {
    .name = "gradient",
    .columns = DL_RELATIVE_ERROR | DL_HELD_OUT_ERROR | DL_UNUSED_SHARE,
    .diverged = "rescale the data",
    .saving = "lower m",
    .makes_encoder = true,
    .holds_out = true,
    .length = dl_plan_rounds,
    .bytes = bytes,
    .work = work,
    .create = create,
    .iterate = iterate,
    .converged = converged,
    .free = free_state,
    .fields = fields,
    .restored = restored,
};
