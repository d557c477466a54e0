/* Stage `polish`: refines the dictionary of stage `minibatch` by least-squares fits to multi-pass codes.
 * Residuals replace unused or duplicate atoms. */
#include "base/integer.h"
#include "base/memory.h"
#include "learning/stages/dictionary_fit.h"
#include "learning/stages/learner_replace.h"
#include "learning/stages/multipass.h"

enum { PASSES = 4, SAMPLES = 5000 };
static const double FIT_RIDGE = 1e-6; /* relative to the mean diagonal of Z Z^T */

typedef struct polish {
    dl_multipass codes;
    dl_replace_space replace;
} polish;

static int64_t length(const dltf_learner *l) {
    return l->options.polish;
}

static double bytes(const dltf_learner *l) {
    return dl_multipass_bytes(l, SAMPLES, false);
}

static int64_t work(const dltf_learner *l) {
    return DL_ALGEBRA_WORK + 8 * dl_min(l->N, SAMPLES);
}

static dltf_status create(dltf_learner *l, void **state) {
    dltf_status status = DLTF_OK;
    polish *p = NULL;
    DL_TRY_NEW(p, 1);
    *state = p;
    DL_TRY(dl_multipass_alloc(&p->codes, l, SAMPLES, false));
    DL_TRY(dl_replace_space_alloc(&p->replace, l->m, l->n, p->codes.block.Z.rows));
done:
    return status;
}

static void free_state(void *state) {
    polish *p = state;
    dl_multipass_free(&p->codes);
    dl_replace_space_free(&p->replace);
    dl_free(p);
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    polish *p = state;
    dl_statistics *s = &p->codes.statistics;
    dltf_status status = dl_multipass_run(&p->codes, l, SAMPLES, PASSES, record);
    if (status != DLTF_OK)
        return status;
    dl_fit_dictionary(l, s->D, s->C, FIT_RIDGE, p->codes.factor, p->codes.dual);
    dl_learner_refresh(l);
    if (index + 1 < l->options.polish) /* later there is no iteration to fit new atoms */
        record->atoms_replaced = dl_learner_replace(l, s->use, &p->codes.block, index, &p->replace);
    dl_learner_describe(l, record);
    return DLTF_OK;
}

const dl_stage dl_stage_polish = {
    .name = "polish",
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
};
