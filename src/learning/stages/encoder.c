/* Stage `encoder`: one iteration that fits the untied encoder of the dictionary (encoder_fit.c) to multi-pass
 * codes. */
#include "base/integer.h"
#include "base/memory.h"
#include "learning/stages/encoder_fit.h"
#include "learning/train_options.h"
#include "linalg/blas.h"

enum { PASSES = 8, SAMPLES = 20000 };

static int64_t length(const dltf_learner *l) {
    (void)l;
    return 1;
}

/* Work space of the fit: eigenvectors for distilled, the polar factor for tight. */
static double fit_bytes(const dltf_learner *l) {
    double n = (double)l->n, size = (double)(l->m < l->n ? l->m : l->n);
    return dl_trains_distilled(&l->options)           ? 3 * 8 * n * n
           : l->options.encoder == DLTF_ENCODER_TIGHT ? 5 * 8 * size * size
                                                      : 0;
}

static dltf_status admit(const dltf_learner *l) {
    if (!dl_trains_distilled(&l->options))
        return DLTF_OK;
    if (l->n > DL_MOST_EIGENVECTORS)
        return dl_fail_option(DLTF_ARGUMENT, "encoder",
                              "distilled supports at most %d columns, but the data have %lld: use dual",
                              DL_MOST_EIGENVECTORS, (long long)l->n);
    if (fit_bytes(l) > dl_memory_of_machine())
        return dl_fail_option(
            DLTF_MEMORY, "encoder",
            "distilled needs about %.0f GB of memory for %lld columns, but this machine has %.0f "
            "GB: use dual",
            fit_bytes(l) / 1e9, (long long)l->n, dl_memory_of_machine() / 1e9);
    return DLTF_OK;
}

static double bytes(const dltf_learner *l) {
    return dl_multipass_bytes(l, SAMPLES, dl_trains_distilled(&l->options)) +
           8 * (double)l->m * (double)l->n + fit_bytes(l);
}

static int64_t work(const dltf_learner *l) {
    return DL_ALGEBRA_WORK + 8 * dl_min(l->N, SAMPLES);
}

static dltf_status create(dltf_learner *l, void **state) {
    dltf_status status = DLTF_OK;
    dl_multipass *teacher = NULL;
    DL_TRY_NEW(teacher, 1);
    *state = teacher;
    DL_TRY(dl_multipass_alloc(teacher, l, SAMPLES, dl_trains_distilled(&l->options)));
    DL_TRY(dl_learner_make_encoder(l));
done:
    return status;
}

static void free_state(void *state) {
    dl_multipass_free(state);
    dl_free(state);
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    (void)index;
    dl_multipass *teacher = state;
    dltf_status status = dl_multipass_run(teacher, l, SAMPLES, PASSES, record);
    if (status == DLTF_OK)
        status = dl_fit_encoder(l, teacher);
    dl_learner_describe(l, record);
    return status;
}

const dl_stage dl_stage_encoder = {
    .name = "encoder",
    .columns = DL_RELATIVE_ERROR | DL_COHERENCE | DL_FRAME_POTENTIAL,
    .diverged = "rescale the data",
    .saving = "lower m",
    .needs_gram = true,
    .makes_encoder = true,
    .length = length,
    .admit = admit,
    .bytes = bytes,
    .work = work,
    .create = create,
    .iterate = iterate,
    .free = free_state,
};
