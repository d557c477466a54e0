/* How long gradient training takes, and at which rate. */
#include "learning/gradient/plan.h"

#include "base/integer.h"
#include "base/parallel.h"
#include "learning/order.h"

#include <math.h>

/* Samples that training sees by default: each EPOCHS times, up to MAX_EPOCHS times if there would otherwise
 * be less than PER_ATOM samples or USES entries of codes per atom; within bounds. */
enum {
    EPOCHS = 10,
    MAX_EPOCHS = 25,
    PER_ATOM = 200,
    USES = 5000,
    MIN_SAMPLES = 600000,
    MAX_SAMPLES = 20000000
};
enum {
    BATCH = 250,
    SMALL_BATCH = 120,
    MIN_ROUNDS = 50,
    MAX_ROUNDS = 5000,
    WARM_UP = 30 /* steps until the full rate */
};
static const double RATE = 0.06, ROUND_FLOPS = 4e10, IDLE = 20;
static const float GROWTH = 1.02f, LIFT = 0.001f;

/* Small batches mean more steps with as many samples, which lowers the error. In large dictionaries the
 * updates would then cost as much as the codes. Encoder `best` keeps the large batches that its committed
 * results were measured with. */
int64_t dl_plan_batch(const dltf_learner *l) {
    const int64_t large = 4000000; /* entries of W */
    bool small = l->options.encoder == DLTF_ENCODER_LEARNED && l->m <= large / l->n;
    return dl_min(small ? SMALL_BATCH : BATCH, l->N);
}

int64_t dl_plan_steps(const dltf_learner *l) {
    double N = (double)l->N, samples = l->options.epochs * N;
    if (samples == 0) {
        double for_atoms = fmax(PER_ATOM, USES / (double)l->k) * (double)l->m;
        double wanted = fmax(EPOCHS * N, fmin(for_atoms, MAX_EPOCHS * N));
        samples = fmin(fmax(wanted, MIN_SAMPLES), fmax(MAX_SAMPLES, N));
    }
    return dl_integer(ceil(samples / (double)dl_plan_batch(l)), 1, INT64_MAX);
}

int64_t dl_plan_rounds(const dltf_learner *l) {
    double steps = (double)dl_plan_steps(l);
    double flops = steps * (double)dl_plan_batch(l) * 2 * (double)l->m * (double)l->n;
    return dl_min(dl_plan_steps(l), dl_integer(flops / ROUND_FLOPS, MIN_ROUNDS, MAX_ROUNDS));
}

int64_t dl_plan_first_step(const dltf_learner *l, int64_t round) {
    return (int64_t)((double)round * (double)dl_plan_steps(l) / (double)dl_plan_rounds(l));
}

/* An encoder row that is fitted to a few samples, seen many times, scores others badly. While only as many
 * atoms take part as the samples support, the others cannot take samples from them; joining late and at a
 * falling rate, they fit what is left. In short trainings that would cost more than it gains. */
int64_t dl_plan_atoms(const dltf_learner *l, double done) {
    const double per_atom = 20, least_epochs = 40, all_join = 0.75;
    double N = (double)l->N, m = (double)l->m, first = fmax(N / per_atom, 2 * (double)l->k);
    double epochs = (double)dl_plan_steps(l) * (double)dl_plan_batch(l) / N;
    if (first >= m || epochs < least_epochs || done >= all_join)
        return l->m;
    double atoms = first * pow(m / first, done / all_join * done / all_join);
    return dl_min(dl_tiles((int64_t)atoms, DL_PANEL) * DL_PANEL, l->m);
}

int64_t dl_plan_evaluation_samples(const dltf_learner *l) {
    const int64_t least = 250, share = 400;
    int64_t seen = dl_plan_steps(l) * dl_plan_batch(l);
    return dl_min(dl_learner_check_count(l), dl_max(least, seen / share));
}

int64_t dl_plan_evaluations(const dltf_learner *l) {
    const double share = 0.04, least = 3, most = 20;
    double seen = (double)dl_plan_steps(l) * (double)dl_plan_batch(l);
    return (int64_t)fmin(fmax(share * seen / (double)dl_plan_evaluation_samples(l), least), most);
}

int64_t dl_plan_sample(const dltf_learner *l, int64_t step, int64_t i) {
    int64_t size = dl_plan_batch(l), per_epoch = l->N / size;
    dl_order order = dl_order_new(l, DL_STREAM_EPOCH);
    return dl_order_sample(&order, step / per_epoch, step % per_epoch * size + i);
}

void dl_plan_expect(const dltf_learner *l, int64_t step) {
    int64_t size = dl_plan_batch(l), per_epoch = l->N / size;
    dl_order order = dl_order_new(l, DL_STREAM_EPOCH);
    dl_order_expect(&order, l, step / per_epoch, step % per_epoch * size, size);
}

double dl_plan_full_rate(int64_t n, int64_t k) {
    return RATE / sqrt((double)n) * fmin(1, sqrt(0.16 * (double)n / (double)k));
}

/* Rises over the first steps, whose gradients point the same way for all atoms of a sample and with many
 * entries overshoot; constant for the first half, then linear to zero. */
double dl_plan_rate(const dltf_learner *l, int64_t step, double done) {
    double rate = dl_plan_full_rate(l->n, l->k);
    return rate * fmin(1, 2 * (1 - done)) * fmin(1, (double)(step + 1) / WARM_UP);
}

dl_gradient_rule dl_plan_rule(int64_t m, int64_t k, bool positive, float rate) {
    return (dl_gradient_rule){.rate = rate,
                              .tie = (positive ? 0.5f : 2) * rate,
                              .patience = dl_integer(ceil(IDLE * (double)m / (double)k), 1, INT64_MAX),
                              .growth = GROWTH,
                              .lift = LIFT,
                              .from_center = true};
}
