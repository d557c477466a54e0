/* What an online learner has learned: the model, its errors, its provenance. */
#include "data/model.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/option_notes.h"
#include "learning/online/online.h"
#include "learning/provenance.h"
#include "learning/train_options.h"

#include <math.h>
#include <string.h>

void dltf_online_get_sized(const dltf_online *s, dltf_online_view *found, size_t size) {
    dltf_online_view now = {.error = NAN};
    if (s)
        now = (dltf_online_view){.samples = s->samples,
                                 .held_out = s->held_out,
                                 .steps = s->steps,
                                 .error = s->energy > 0 ? s->left / s->energy : NAN};
    DL_WRITE_STRUCT(dltf_online_view, found, size, &now);
}

void dltf_online_options_sized(const dltf_online *s, dltf_train_options *found, size_t size) {
    dltf_train_options own = s ? s->options : dltf_train_options_default();
    dl_options_write(dl_train_option_table(), found, size, &own);
}

int64_t dltf_online_first(const dltf_online *s) {
    return s ? s->room : 0;
}

dltf_status dl_online_notes(const dltf_online *s, dl_notes *notes) {
    dltf_status status = DLTF_OK;
    dl_provenance provenance = {s->warm, s->warm_encoder, s->samples, s->n, s->checksum};
    DL_TRY(dl_option_notes_set(notes, dl_train_option_table(), &s->options));
    DL_TRY(dl_notes_set(notes, "learner", "online"));
    if (*s->center_choice)
        DL_TRY(dl_notes_set(notes, "center.choice", s->center_choice));
    if (s->options.nested)
        DL_TRY(dl_nested_note(s->m, s->k, notes));
    status = dl_provenance_notes(&provenance, notes);
done:
    return status;
}

/* Sign convention: the codes of an atom in the last buffer are positive on average. */
static dltf_status signed_rows(const dltf_online *s, const float *matrix, int64_t cols, double scale,
                               float **rows) {
    *rows = DL_NEW(float, s->m *cols);
    if (!*rows)
        return DLTF_MEMORY;
    for (int64_t j = 0; j < s->m; j++)
        for (int64_t i = 0; i < cols; i++)
            (*rows)[j * cols + i] =
                (float)((s->g.code_sum[j] < 0 ? -scale : scale) * (double)matrix[j * cols + i]);
    return DLTF_OK;
}

/* The model of a learner whose buffer is empty. */
static dltf_status make_model(const dltf_online *s, dltf_model **model) {
    dltf_status status = DLTF_OK;
    dltf_model *made = NULL;
    float *dictionary = NULL, *encoder = NULL, *bias = NULL;
    DL_TRY(signed_rows(s, s->average.W, s->n, 1, &dictionary));
    DL_TRY(signed_rows(s, s->average.E, s->n, 1, &encoder));
    DL_TRY(signed_rows(s, s->average.b, 1, 1 / s->scale, &bias)); /* in the units of the samples */
    dltf_model_view parts = {.m = s->m,
                             .n = s->n,
                             .k = s->k,
                             .dictionary = dictionary,
                             .encoder = encoder,
                             .bias = bias,
                             .mean = s->mean,
                             .offset = s->offset,
                             .remove_mean = s->options.remove_mean,
                             .unit_norm = s->options.unit_norm,
                             .select = s->options.select};
    DL_TRY(dltf_model_new(&parts, &made));
    DL_TRY(dl_online_notes(s, &made->notes));
    *model = made;
    made = NULL;
done:
    dltf_model_free(made);
    dl_free(dictionary);
    dl_free(encoder);
    dl_free(bias);
    return status;
}

static dltf_status copy(const dltf_online *s, dltf_online **made) {
    dl_field from[DL_ONLINE_MAX_FIELDS], to[DL_ONLINE_MAX_FIELDS];
    dltf_online *c = NULL;
    dltf_status status = dl_online_create(&s->options, s->n, &c);
    if (status == DLTF_OK)
        status = dl_online_make_center(c, s->mean, s->offset);
    if (status != DLTF_OK) {
        dltf_online_free(c);
        return status;
    }
    memcpy(c->center_choice, s->center_choice, sizeof c->center_choice);
    c->warm = s->warm;
    c->warm_encoder = s->warm_encoder;
    c->samples = s->samples;
    c->checksum = s->checksum;
    c->held_out = s->held_out;
    c->count = s->count;
    c->buffers = s->buffers;
    c->scale = s->scale;
    c->steps = s->steps;
    c->left = s->left;
    c->energy = s->energy;
    int count = dl_online_fields(s, from);
    dl_online_fields(c, to);
    for (int i = 0; i < count; i++)
        memcpy(to[i].memory, from[i].memory,
               (size_t)(from[i].rows * dl_max(1, from[i].cols) * dl_tensor_type_size(from[i].type)));
    dl_gradient_pack(&c->g);
    *made = c;
    return DLTF_OK;
}

/* Learning from an incomplete buffer would change what comes after it: a copy does it. */
dltf_status dltf_online_model(const dltf_online *online, dltf_model **model) {
    DL_CLEAR(model);
    DL_REQUIRE(online, model);
    const dltf_online *s = online;
    dltf_online *c = NULL;
    if (s->count == 0 && s->buffers == 0)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "no samples to learn from%s",
                             s->held_out > 0 ? " beside those held out" : "");
    if (s->count == 0)
        return make_model(s, model);
    dltf_status status = copy(s, &c);
    if (status == DLTF_OK)
        status = dl_online_learn(c);
    if (status == DLTF_OK)
        status = make_model(c, model);
    dltf_online_free(c);
    return status;
}

dltf_status dltf_online_quality_sized(const dltf_online *online, const dltf_model *model,
                                      dltf_quality *quality, size_t size) {
    DL_REQUIRE(online, model, quality);
    const dltf_online *s = online;
    int64_t rows = dl_min(s->held_out, DL_ONLINE_HELD);
    dltf_quality own = {.samples = rows,
                        .held_out = true,
                        .raw_error = NAN,
                        .refit_error = NAN,
                        .omp_error = NAN,
                        .raw_explained = NAN,
                        .refit_explained = NAN,
                        .omp_explained = NAN,
                        .entries = NAN,
                        .unused_share = NAN,
                        .mean_share = NAN};
    dltf_status status = DLTF_OK;
    if (rows > 0)
        status = dl_model_quality(model, dltf_matrix_f32(s->held, rows, s->n), s->threads, &own);
    if (status == DLTF_OK)
        DL_WRITE_STRUCT(dltf_quality, quality, size, &own);
    return status;
}
