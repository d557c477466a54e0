/* Stage `gradient`: dictionary and encoder together, by minibatch gradient descent through max_k
 * (gradient.h).
 *
 * Time and memory are linear in m, which suits large dictionaries. Some samples are held out: their error
 * determines which state is kept and when training stops. An iteration is a round of steps that takes about a
 * second. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "coding/dual.h"
#include "learning/gradient_learner.h"

#include <math.h>
#include <string.h>

enum {
    SMALL_BATCH = 250,
    LARGE_BATCH = 1000,
    LARGE_M = 2048,         /* more atoms than this: large batches */
    MIN_SAMPLES = 300000,   /* samples seen by default: ten times each, */
    MAX_SAMPLES = 20000000, /* within these bounds */
    MAX_HELD_OUT = 2000,    /* a tenth of the samples, at most this many */
    EVALUATIONS = 20,       /* of the held-out error in a training */
    PATIENCE = 5,           /* evaluations without improvement before it stops early */
    WARM_UP = 30,           /* steps until the full rate */
    START_SAMPLES = 2000,   /* used to scale the initial encoder */
    MIN_ROUNDS = 50,
    MAX_ROUNDS = 5000
};
static const double RATE = 0.06, RIDGE = 0.1, ROUND_FLOPS = 4e10, GROWTH_SHARE = 0.8;
static const float GROWTH = 1.02f;

typedef struct gradient {
    dl_gradient g;
    dl_samples samples; /* mean ||y||^2 = 1 */
    double *row;        /* threads x n: work space for loading */
    float *W, *E, *b;   /* the best state so far */
    double best, held_out;
    double stale; /* evaluations since the best one, in the second half */
} gradient;

/* ---- The plan: how many samples, in which order ---- */

static int64_t held_out_count(const dltf_learner *l) {
    int64_t tenth = l->N / 10;
    return tenth < MAX_HELD_OUT ? tenth : MAX_HELD_OUT;
}

static int64_t batch_size(const dltf_learner *l) {
    int64_t size = l->m > LARGE_M ? LARGE_BATCH : SMALL_BATCH, count = l->N - held_out_count(l);
    return size < count ? size : count;
}

static int64_t step_count(const dltf_learner *l) {
    double N = (double)l->N, samples = fmin(fmax(10 * N, MIN_SAMPLES), fmax(MAX_SAMPLES, N));
    if (l->options.epochs > 0)
        samples = l->options.epochs * N;
    return (int64_t)ceil(samples / (double)batch_size(l));
}

static int64_t length(const dltf_learner *l) {
    double steps = (double)step_count(l);
    double flops = steps * (double)batch_size(l) * 2 * (double)l->m * (double)l->n;
    return (int64_t)fmin(steps, fmin(fmax(flops / ROUND_FLOPS, MIN_ROUNDS), MAX_ROUNDS));
}

/* The first step of a round; steps are spread evenly. */
static int64_t first_step(const dltf_learner *l, int64_t round) {
    return (int64_t)((double)round * (double)step_count(l) / (double)length(l));
}

static int64_t work(const dltf_learner *l) {
    return batch_size(l) * step_count(l) / length(l) + 1;
}

/* Sample i in a fixed random order of all samples; the first ones are held out. */
static int64_t sample_at(const dltf_learner *l, int64_t i) {
    return dl_random_place((dl_random){(uint64_t)l->options.seed, DL_STREAM_HELD_OUT}, 0, l->N, i);
}

/* Sample i of the batch of a step. An epoch is a new random order of the other samples, cut into batches. */
static int64_t batch_sample(const dltf_learner *l, int64_t step, int64_t i) {
    int64_t held_out = held_out_count(l), count = l->N - held_out, size = batch_size(l);
    int64_t per_epoch = count / size;
    dl_random random = {(uint64_t)l->options.seed, DL_STREAM_EPOCH};
    int64_t place = dl_random_place(random, (uint64_t)(step / per_epoch), count, step % per_epoch * size + i);
    return sample_at(l, held_out + place);
}

/* ---- Memory ---- */

static dltf_status create(dltf_learner *l, void **state) {
    dltf_status status = DLTF_OK;
    gradient *s = NULL;
    bool positive = l->options.select == DLTF_SELECT_POSITIVE;
    DL_TRY_NEW(s, 1);
    *state = s;
    DL_TRY(dl_gradient_alloc(&s->g, l->threads, l->m, l->n, l->k, positive, batch_size(l)));
    DL_TRY_NEW(s->row, l->threads * l->n);
    DL_TRY_NEW(s->W, l->m * l->n);
    DL_TRY_NEW(s->E, l->m * l->n);
    DL_TRY_NEW(s->b, l->m);
    DL_TRY(dl_learner_make_encoder(l));
    s->samples = dl_gradient_samples(l);
done:
    return status;
}

static void free_state(void *state) {
    gradient *s = state;
    dl_gradient_free(&s->g);
    dl_free(s->row);
    dl_free(s->W);
    dl_free(s->E);
    dl_free(s->b);
    dl_free(s);
}

static double bytes(const dltf_learner *l) {
    double encoder = 8 * (double)l->m * (double)l->n, best = 8 * (double)l->m * (double)l->n;
    return encoder + best + dl_gradient_bytes(l->threads, l->m, l->n, l->k, batch_size(l));
}

/* ---- Batches ---- */

typedef struct batch {
    const dltf_learner *l;
    gradient *s;
    int64_t step;  /* -1: held-out samples */
    int64_t first; /* first held-out sample */
} batch;

static void load_sample(void *context, int64_t i, int worker) {
    const batch *b = context;
    int64_t n = b->l->n;
    int64_t sample = b->step >= 0 ? batch_sample(b->l, b->step, i) : sample_at(b->l, b->first + i);
    dl_samples_row(&b->s->samples, sample, b->s->row + worker * n, b->s->g.Y + i * n);
}

/* Loads and codes `rows` samples. */
static dl_gradient_error code_batch(batch b, int64_t rows) {
    b.s->g.rows = rows;
    dl_parallel(b.l->threads, rows, load_sample, &b);
    return dl_gradient_code(&b.s->g);
}

/* The relative error of the first `count` samples of the fixed order, which are the held-out ones. */
static double error_of(const dltf_learner *l, gradient *s, int64_t count) {
    dl_gradient_error sum = {0, 0};
    for (int64_t first = 0; first < count; first += s->g.room) {
        int64_t left = count - first, rows = left < s->g.room ? left : s->g.room;
        dl_gradient_error error = code_batch((batch){l, s, -1, first}, rows);
        sum.left += error.left;
        sum.energy += error.energy;
    }
    return sum.energy > 0 ? sum.left / sum.energy : 0;
}

/* ---- Which state is kept ---- */

static void keep_best(const dltf_learner *l, gradient *s) {
    size_t size = (size_t)(l->m * l->n) * sizeof(float);
    memcpy(s->W, s->g.W.value, size);
    memcpy(s->E, s->g.E.value, size);
    memcpy(s->b, s->g.b.value, (size_t)l->m * sizeof(float));
}

/* ---- The start ---- */

/* The least-squares factor from the reconstructions R to the samples Y: <R, Y> / <R, R>. */
static double best_scale(const dltf_learner *l, gradient *s) {
    int64_t count = l->N < START_SAMPLES ? l->N : START_SAMPLES;
    double along = 0, square = 0;
    for (int64_t first = 0; first < count; first += s->g.room) {
        int64_t left = count - first, rows = left < s->g.room ? left : s->g.room;
        code_batch((batch){l, s, -1, first}, rows);
        for (int64_t i = 0; i < rows * l->n; i++) {
            double y = (double)s->g.Y[i], r = y - (double)s->g.R[i];
            along += r * y;
            square += r * r;
        }
    }
    return along > 0 && square > 0 ? along / square : 1;
}

/* Initial state: W of the learner, and the encoder of the starting model or else the dual of W, scaled for
 * the smallest error, and b = 0. */
static dltf_status start(dltf_learner *l, gradient *s) {
    dltf_status status = DLTF_OK;
    int64_t entries = l->m * l->n, size = l->m < l->n ? l->m : l->n;
    double *factor = NULL;
    bool given = l->warm_encoder;
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
    s->best = s->held_out = error_of(l, s, held_out_count(l));
    keep_best(l, s);
done:
    dl_free(factor);
    return status;
}

/* ---- Evaluation ---- */

/* Computes the held-out error every few rounds and after the last. Without held-out samples the latest state
 * counts as the best. At a constant rate the error reaches a plateau from which only the falling rate of the
 * second half leads down, so that the first half does not count as lack of improvement. */
static void evaluate(const dltf_learner *l, gradient *s, int64_t index, double training_error) {
    int64_t rounds = length(l), every = rounds > EVALUATIONS ? rounds / EVALUATIONS : 1;
    int64_t count = held_out_count(l);
    bool last = index + 1 == rounds;
    if (!last && (index + 1) % every != 0)
        return;
    s->held_out = count > 0 ? error_of(l, s, count) : training_error;
    s->stale += 2 * (index + 1) > rounds;
    if (count == 0 || s->held_out < s->best) {
        s->best = s->held_out;
        s->stale = 0;
        keep_best(l, s);
    }
}

static bool ends(const dltf_learner *l, const gradient *s, int64_t index) {
    return index + 1 == length(l) || (l->options.tolerance > 0 && s->stale >= PATIENCE);
}

/* Copies the current state, or at the end the best one, to the learner. */
static void publish(dltf_learner *l, const gradient *s, bool best) {
    if (best)
        dl_gradient_to_learner(l, s->W, s->E, s->b);
    else
        dl_gradient_to_learner(l, s->g.W.value, s->g.E.value, s->g.b.value);
    memcpy(l->code_sum, s->g.code_sum, (size_t)l->m * sizeof *l->code_sum);
}

static double idle_share(const dltf_learner *l, const gradient *s, int64_t patience) {
    int64_t idle = 0;
    for (int64_t j = 0; j < l->m; j++)
        idle += s->g.idle[j] > patience;
    return (double)idle / (double)l->m;
}

/* ---- The iteration ---- */

/* Rises over the first steps, whose gradients point the same way for all atoms of a sample and with many
 * entries overshoot; constant for the first half, then linear to zero. */
static double rate_at(const dltf_learner *l, int64_t step) {
    double n = (double)l->n, k = (double)l->k, done = (double)step / (double)step_count(l);
    double rate =
        RATE / sqrt(n) * pow((double)batch_size(l) / SMALL_BATCH, 0.25) * fmin(1, sqrt(0.16 * n / k));
    return rate * fmin(1, 2 * (1 - done)) * fmin(1, (double)(step + 1) / WARM_UP);
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    gradient *s = state;
    dl_gradient_error sum = {0, 0};
    int64_t patience = (int64_t)ceil(20 * (double)l->m / (double)l->k);
    if (index == 0) {
        dltf_status status = start(l, s);
        if (status != DLTF_OK)
            return status;
    }
    memset(s->g.code_sum, 0, (size_t)l->m * sizeof *s->g.code_sum);
    for (int64_t step = first_step(l, index); step < first_step(l, index + 1); step++) {
        float rate = (float)rate_at(l, step);
        bool growing = (double)step < GROWTH_SHARE * (double)step_count(l);
        dl_gradient_rule rule = {
            .rate = rate, .tie = 2 * rate, .patience = growing ? patience : 0, .growth = GROWTH};
        dl_gradient_error error = code_batch((batch){l, s, step, 0}, batch_size(l));
        dl_gradient_step(&s->g, &rule);
        sum.left += error.left;
        sum.energy += error.energy;
    }
    record->relative_error = sum.energy > 0 ? sum.left / sum.energy : 0;
    evaluate(l, s, index, record->relative_error);
    record->held_out_error = s->held_out;
    record->unused_share = idle_share(l, s, patience);
    publish(l, s, ends(l, s, index));
    return DLTF_OK;
}

/* The held-out error no longer decreases. publish has copied the best state to the learner. */
static bool converged(const dltf_learner *l, const dltf_iteration *now, const dltf_iteration *before) {
    (void)before;
    const gradient *s = l->state;
    return s && now->index + 1 < length(l) && ends(l, s, now->index);
}

/* ---- Checkpoints ---- */

static int fields(const dltf_learner *l, void *state, dl_field *list) {
    gradient *s = state;
    const dl_field own[] = {
        {"gradient.best.W", DL_TENSOR_F32, l->m, l->n, s->W},
        {"gradient.best.E", DL_TENSOR_F32, l->m, l->n, s->E},
        {"gradient.best.b", DL_TENSOR_F32, l->m, 0, s->b},
        {"gradient.best", DL_TENSOR_F64, 1, 0, &s->best},
        {"gradient.held_out", DL_TENSOR_F64, 1, 0, &s->held_out},
        {"gradient.stale", DL_TENSOR_F64, 1, 0, &s->stale},
    };
    int count = dl_gradient_fields(&s->g, list);
    memcpy(list + count, own, sizeof own);
    return count + (int)(sizeof own / sizeof *own);
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
    .length = length,
    .bytes = bytes,
    .work = work,
    .create = create,
    .iterate = iterate,
    .converged = converged,
    .free = free_state,
    .fields = fields,
    .restored = restored,
};
