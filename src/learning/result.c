/* The result of a training: the model and its provenance (dltf_learner_model, dltf_train). */
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/model.h"
#include "data/option_notes.h"
#include "learning/learner.h"
#include "learning/nested.h"
#include "learning/provenance.h"
#include "learning/train_options.h"

#include <math.h>
#include <string.h>

/* Sign convention: the codes of an atom are positive on average; if they sum to 0, its entry of largest
 * magnitude is positive. With positive selection an unused atom keeps its sign: reversed, it would be another
 * atom, in the code of every sample whose score was negative. */
static double atom_sign(const dltf_learner *l, int64_t j) {
    if (l->code_sum[j] != 0 || l->options.select == DLTF_SELECT_POSITIVE)
        return l->code_sum[j] >= 0 ? 1 : -1;
    const double *w = l->W + j * l->n;
    double largest = 0;
    for (int64_t i = 0; i < l->n; i++)
        if (fabs(w[i]) > fabs(largest))
            largest = w[i];
    return largest >= 0 ? 1 : -1;
}

dltf_status dl_learner_notes(const dltf_learner *l, dl_notes *notes) {
    dltf_status status = DLTF_OK;
    dl_provenance provenance = {l->warm, l->warm_encoder, l->samples.X.rows, l->n, l->summary.checksum};
    DL_TRY(dl_option_notes_set(notes, dl_train_option_table(), &l->options));
    if (*l->choice)
        DL_TRY(dl_notes_set(notes, "encoder.choice", l->choice));
    if (*l->center_choice)
        DL_TRY(dl_notes_set(notes, "center.choice", l->center_choice));
    if (l->options.nested)
        DL_TRY(dl_nested_note(l->m, l->k, notes));
    status = dl_provenance_notes(&provenance, notes);
done:
    return status;
}

typedef struct signing {
    const dltf_learner *l;
    const double *matrix;
    int64_t cols;
    double scale;
    float *rows;
} signing;

static void sign_row(void *context, int64_t j, int worker) {
    (void)worker;
    const signing *s = context;
    double factor = atom_sign(s->l, j) * s->scale;
    for (int64_t i = j * s->cols; i < (j + 1) * s->cols; i++)
        s->rows[i] = (float)(factor * s->matrix[i]);
}

/* Copies a matrix of the learner, in f32 and with the signs of the atoms. */
static dltf_status signed_rows(const dltf_learner *l, const double *matrix, int64_t cols, double scale,
                               float **rows) {
    *rows = DL_NEW(float, l->atoms *cols);
    if (!*rows)
        return DLTF_MEMORY;
    signing s = {l, matrix, cols, scale, *rows};
    dl_parallel(l->threads, l->atoms, sign_row, &s);
    return DLTF_OK;
}

/* Rows of a matrix of all ranks in place of those of this rank, if ranks share the atoms and `whole`. */
static dltf_status own_or_all(const dltf_learner *l, const double *matrix, int64_t cols, double scale,
                              bool whole, float **rows) {
    dltf_status status = signed_rows(l, matrix, cols, scale, rows);
    if (status != DLTF_OK || !whole || !dl_learner_shares_atoms(l))
        return status;
    void *all = NULL;
    status = dl_learner_gather(l, *rows, cols * (int64_t)sizeof **rows, l->m, true, &all);
    dl_free(*rows);
    *rows = all;
    return status;
}

static dltf_status make_model(const dltf_learner *l, bool whole, dltf_model **model) {
    dltf_status status = DLTF_OK;
    dltf_model *made = NULL;
    float *dictionary = NULL, *encoder = NULL, *bias = NULL;
    bool untied = dl_learner_has_encoder(l);
    int64_t m = whole ? l->m : l->atoms;
    dl_learner_publish(l);
    DL_TRY(own_or_all(l, l->W, l->n, 1, whole, &dictionary));
    if (untied)
        DL_TRY(own_or_all(l, l->E, l->n, 1, whole, &encoder));
    bool biased = l->options.encoder != DLTF_ENCODER_TIGHT && l->options.encoder != DLTF_ENCODER_DUAL;
    if (untied && biased) /* in the units of the samples */
        DL_TRY(own_or_all(l, l->bias, 1, 1 / l->samples.scale, whole, &bias));
    dltf_model_view parts = {.m = m,
                             .n = l->n,
                             .k = dl_min(l->k, m),
                             .dictionary = dictionary,
                             .encoder = encoder,
                             .bias = bias,
                             .mean = l->mean,
                             .deviation = l->deviation,
                             .offset = l->offset,
                             .remove_mean = l->options.remove_mean,
                             .unit_norm = l->options.unit_norm,
                             .select = l->options.select};
    DL_TRY(m > 0 ? dltf_model_new(&parts, &made) : dl_model_new_empty(&parts, &made));
    DL_TRY(dl_learner_notes(l, &made->notes));
    *model = made;
    made = NULL;
done:
    dltf_model_free(made);
    dl_free(dictionary);
    dl_free(encoder);
    dl_free(bias);
    return status;
}

dltf_status dltf_learner_model(const dltf_learner *learner, dltf_model **model) {
    DL_CLEAR(model);
    DL_REQUIRE(learner, model);
    return make_model(learner, true, model);
}

dltf_status dl_learner_own_model(const dltf_learner *l, dltf_model **model) {
    return make_model(l, false, model);
}

dltf_status dl_train(dltf_matrix X, const dltf_train_options *options, const dltf_model *start,
                     dltf_progress_fn progress, void *context, dltf_model **model) {
    dltf_learner *learner = NULL;
    dltf_outcome outcome = DLTF_ITERATION_LIMIT;
    dltf_status status = DLTF_OK;
    DL_TRY(dltf_learner_new(X, start, options, &learner));
    learner->unmonitored = true;
    DL_TRY(dltf_learner_run(learner, progress, context, &outcome));
    if (outcome == DLTF_INTERRUPTED)
        status = dl_fail(DLTF_CANCELLED, "training was cancelled");
    else
        status = dltf_learner_model(learner, model);
done:
    dltf_learner_free(learner);
    return status;
}

dltf_status dltf_train(dltf_matrix X, const dltf_train_options *options, dltf_progress_fn progress,
                       void *context, dltf_model **model) {
    DL_CLEAR(model);
    DL_REQUIRE(model);
    return dl_train(X, options, NULL, progress, context, model);
}
