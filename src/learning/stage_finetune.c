/* Stage `finetune`: small gradient steps (gradient.h) from a finished dictionary and encoder. Codes have
 * least-squares values on the supports that the encoder chooses; the dictionary is fitted to them, and the
 * scores of the encoder are fitted to these values. Fewer atoms are confused afterwards, and raw scores
 * reconstruct better. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "learning/gradient_learner.h"

#include <math.h>

enum { ROUNDS = 16, BATCH = 250 };
static const double RATE = 0.003; /* larger rates lose what the stages before found */

typedef struct finetune {
    dl_gradient g;
    dl_samples samples; /* mean ||y||^2 = 1 */
    double *row;        /* threads x n: work space of loading */
    const dltf_learner *l;
    int64_t step;
} finetune;

static int64_t batch_size(const dltf_learner *l) {
    return l->N < BATCH ? l->N : BATCH;
}

static int64_t length(const dltf_learner *l) {
    bool distilled = l->options.encoder == DLTF_ENCODER_DISTILLED || l->options.encoder == DLTF_ENCODER_BEST;
    return distilled ? dl_min(l->options.finetune, ROUNDS) : 0;
}

static int64_t work(const dltf_learner *l) {
    int64_t rounds = length(l);
    return rounds > 0 ? batch_size(l) * l->options.finetune / rounds : 0;
}

static double bytes(const dltf_learner *l) {
    return dl_gradient_bytes(l->threads, l->m, l->n, l->k, batch_size(l));
}

static dltf_status create(dltf_learner *l, void **state) {
    dltf_status status = DLTF_OK;
    finetune *s = NULL;
    bool positive = l->options.select == DLTF_SELECT_POSITIVE;
    DL_TRY_NEW(s, 1);
    *state = s;
    s->l = l;
    DL_TRY(dl_gradient_alloc(&s->g, l->threads, l->m, l->n, l->k, positive, batch_size(l)));
    DL_TRY(dl_gradient_alloc_refit(&s->g));
    s->g.refit = true;
    DL_TRY_NEW(s->row, l->threads * l->n);
    s->samples = dl_gradient_samples(l);
done:
    return status;
}

static void free_state(void *state) {
    finetune *s = state;
    dl_gradient_free(&s->g);
    dl_free(s->row);
    dl_free(s);
}

static void load_sample(void *context, int64_t i, int worker) {
    finetune *s = context;
    const dltf_learner *l = s->l;
    dl_random random = {(uint64_t)l->options.seed, DL_STREAM_EPOCH};
    int64_t per_epoch = l->N / batch_size(l), first = s->step % per_epoch * batch_size(l);
    int64_t sample = dl_random_place(random, (uint64_t)(s->step / per_epoch), l->N, first + i);
    dl_samples_row(&s->samples, dl_split_training(&l->split, sample), s->row + worker * l->n,
                   s->g.Y + i * l->n);
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    finetune *s = state;
    dl_gradient_error sum = {0, 0};
    int64_t steps = l->options.finetune, rounds = length(l);
    if (index == 0)
        dl_gradient_from_learner(&s->g, l, true);
    for (s->step = index * steps / rounds; s->step < (index + 1) * steps / rounds; s->step++) {
        double done = (double)s->step / (double)steps,
               rate = RATE / sqrt((double)l->n) * fmin(1, (1 - done) / 0.9);
        dl_gradient_rule rule = {.rate = (float)rate, .growth = 1};
        s->g.rows = batch_size(l);
        dl_parallel(l->threads, s->g.rows, load_sample, s);
        dl_gradient_error error = dl_gradient_code(&s->g);
        dl_gradient_step(&s->g, &rule);
        sum.left += error.left;
        sum.energy += error.energy;
    }
    record->relative_error = sum.energy > 0 ? sum.left / sum.energy : 0;
    dl_gradient_to_learner(l, s->g.W.value, s->g.E.value, s->g.b.value);
    dl_learner_describe(l, record);
    return DLTF_OK;
}

static int fields(const dltf_learner *l, void *state, dl_field *list) {
    (void)l;
    return dl_gradient_fields(&((finetune *)state)->g, list);
}

static dltf_status restored(const dltf_learner *l, void *state) {
    return dl_gradient_restored(&((finetune *)state)->g, l);
}

const dl_stage dl_stage_finetune = {
    .name = "finetune",
    .columns = DL_RELATIVE_ERROR | DL_COHERENCE | DL_FRAME_POTENTIAL,
    .diverged = "rescale the data",
    .saving = "lower m",
    .needs_gram = true,
    .length = length,
    .bytes = bytes,
    .work = work,
    .create = create,
    .iterate = iterate,
    .free = free_state,
    .fields = fields,
    .restored = restored,
};
