/* Stage `finetune`: small gradient steps (gradient.h) from a finished dictionary and encoder. Codes have
 * least-squares values on the supports that the encoder chooses; the dictionary is fitted to them, and the
 * scores of the encoder are fitted to these values. Raw scores reconstruct better afterwards, and mostly
 * fewer atoms are confused: where the error after refit has grown, the start is kept. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "learning/gradient/descent.h"
#include "learning/gradient/plan.h"
#include "learning/train_options.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 16 };
static const double RATE = 0.003; /* larger rates lose what the stages before found */

typedef struct finetune {
    dl_descent d;
    dl_parameters start;
    double start_error; /* of validation samples, after refit */
} finetune;

static int64_t length(const dltf_learner *l) {
    return dl_trains_distilled(&l->options) ? dl_min(l->options.finetune, ROUNDS) : 0;
}

static int64_t work(const dltf_learner *l) {
    int64_t rounds = length(l);
    return rounds > 0 ? 2 * dl_plan_batch(l) * l->options.finetune / rounds : 0;
}

static double bytes(const dltf_learner *l) {
    double start = 8 * (double)l->m * (double)l->n;
    return start + dl_gradient_bytes(l->threads, l->m, l->n, l->k, false, dl_plan_batch(l));
}

static dltf_status create(dltf_learner *l, void **state) {
    dltf_status status = DLTF_OK;
    finetune *s = NULL;
    DL_TRY_NEW(s, 1);
    *state = s;
    DL_TRY(dl_descent_alloc(&s->d, l, true));
    DL_TRY(dl_parameters_alloc(&s->start, l->m, l->n));
    s->d.g.refit = true;
done:
    return status;
}

static void free_state(void *state) {
    finetune *s = state;
    dl_descent_free(&s->d);
    dl_parameters_free(&s->start);
    dl_free(s);
}

static int64_t first_step(const dltf_learner *l, int64_t round) {
    return round * l->options.finetune / length(l);
}

static bool plan(const dltf_learner *l, void *state, int64_t step, dl_gradient_rule *rule) {
    (void)state;
    double done = (double)step / (double)l->options.finetune;
    double rate = RATE / sqrt((double)l->n) * fmin(1, (1 - done) / 0.9);
    *rule = (dl_gradient_rule){.rate = (float)rate, .growth = 1};
    return true;
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    finetune *s = state;
    int64_t rounds = length(l);
    if (index == 0 && !l->partway) {
        dl_gradient_from_learner(&s->d.g, l, true);
        dl_parameters_copy(l, s->start, dl_descent_parameters(&s->d));
        s->start_error = dl_descent_error(&s->d, l, dl_learner_check_count(l));
    }
    dltf_status status = dl_descent_round(&s->d, l, first_step(l, index), first_step(l, index + 1), plan, s,
                                          &record->relative_error);
    if (status != DLTF_OK)
        return status;
    bool worse =
        index + 1 == rounds && dl_descent_error(&s->d, l, dl_learner_check_count(l)) > s->start_error;
    if (!dl_poll())
        return DLTF_CANCELLED;
    dl_gradient_to_learner(l, worse ? s->start : dl_descent_parameters(&s->d));
    l->ahead = false;
    dl_learner_refresh(l);
    dl_learner_describe(l, record);
    return DLTF_OK;
}

static int fields(const dltf_learner *l, void *state, dl_field *list) {
    finetune *s = state;
    const dl_field own[] = {
        {"finetune.start.W", DL_TENSOR_F32, l->m, l->n, s->start.W},
        {"finetune.start.E", DL_TENSOR_F32, l->m, l->n, s->start.E},
        {"finetune.start.b", DL_TENSOR_F32, l->m, 0, s->start.b},
        {"finetune.start.code_sum", DL_TENSOR_F64, l->m, 0, s->start.code_sum},
        {"finetune.start_error", DL_TENSOR_F64, 1, 0, &s->start_error},
    };
    int count = dl_descent_fields(&s->d, list);
    memcpy(list + count, own, sizeof own);
    return count + (int)(sizeof own / sizeof *own);
}

static dltf_status restored(const dltf_learner *l, void *state) {
    return dl_descent_restored(&((finetune *)state)->d, l,
                               first_step(l, l->index + 1) - first_step(l, l->index));
}

static void publish(const dltf_learner *l, void *state) {
    dl_gradient_to_learner(l, dl_descent_parameters(&((finetune *)state)->d));
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
    .publish = publish,
};
