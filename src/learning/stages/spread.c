/* Stage `spread`: lowers the coherence of the dictionary of the stages before. The atoms move apart, each as
 * little as lambda asks for (paper/spread.h), while the smooth maximum approaches the maximum. */
#include "learning/paper/spread.h"
#include "base/memory.h"
#include "base/meter.h"
#include "learning/learner.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 40, STEPS = 20 };
static const double FIRST_SHARPNESS = 20, LAST_SHARPNESS = 2000, FIRST_TAU = 0.01;

typedef struct state {
    dl_w_space space;
    double *W;  /* m x n: during a round */
    double *W0; /* m x n: the dictionary at the start */
} state;

static int64_t length(const dltf_learner *l) {
    return l->options.incoherence == DLTF_INCOHERENCE_INF && l->m > 1 ? ROUNDS : 0;
}

static double bytes(const dltf_learner *l) {
    double m = (double)l->m, n = (double)l->n;
    return 8 * (2 * m * m + 6 * m * n);
}

static int64_t work(const dltf_learner *l) {
    (void)l;
    return 2 * DL_ALGEBRA_WORK;
}

static dltf_status create(dltf_learner *l, void **made) {
    dltf_status status = DLTF_OK;
    state *s = NULL;
    DL_TRY_NEW(s, 1);
    *made = s;
    DL_TRY(dl_w_space_alloc(&s->space, l->threads, l->m, l->n, false));
    DL_TRY_NEW(s->W, l->m * l->n);
    DL_TRY_NEW(s->W0, l->m * l->n);
done:
    return status;
}

static void free_state(void *made) {
    state *s = made;
    dl_w_space_free(&s->space);
    dl_free(s->W);
    dl_free(s->W0);
    dl_free(s);
}

static dltf_status iterate(dltf_learner *l, void *made, int64_t index, dltf_iteration *record) {
    state *s = made;
    size_t size = (size_t)(l->m * l->n) * sizeof *l->W;
    double share = (double)index / (ROUNDS - 1), tau = index == 0 ? FIRST_TAU : l->tau;
    if (index == 0)
        memcpy(s->W0, l->W, size);
    dl_spread_problem problem = {.n = l->n,
                                 .sharpness = FIRST_SHARPNESS * pow(LAST_SHARPNESS / FIRST_SHARPNESS, share),
                                 .lambda = l->options.keep,
                                 .W0 = s->W0};
    memcpy(s->W, l->W, size);
    dl_search_outcome outcome = dl_spread_step(&problem, STEPS, &tau, s->W, &s->space);
    if (!dl_poll())
        return DLTF_CANCELLED;
    memcpy(l->W, s->W, size);
    l->tau = tau;
    dl_learner_refresh(l);
    record->objective = outcome.after;
    dl_learner_describe(l, record);
    return DLTF_OK;
}

static int fields(const dltf_learner *l, void *made, dl_field *list) {
    state *s = made;
    list[0] = (dl_field){"spread.W0", DL_TENSOR_F64, l->m, l->n, s->W0};
    return 1;
}

static dltf_status restored(const dltf_learner *l, void *made) {
    (void)l;
    (void)made;
    return DLTF_OK;
}

const dl_stage dl_stage_spread = {
    .name = "spread",
    .columns = DL_OBJECTIVE | DL_COHERENCE | DL_FRAME_POTENTIAL,
    .diverged = "raise --keep",
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
