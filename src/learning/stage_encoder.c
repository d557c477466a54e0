/* The last stage of learning with an untied encoder: sharpens the dictionary that stage 1 found, then derives
 * the encoder from it (encoder_fit.c).
 *
 * Codes of several passes (hard-thresholding pursuit, preconditioned by the dual) hold nearly all the right
 * atoms where those of one pass hold most, and the dictionary that fits them best has lost the bias of
 * one-pass codes. Atoms that do no work are replaced there, too. The last iteration makes such codes once
 * more: the teacher of the encoder. Called by learner.c. */
#include "base/memory.h"
#include "coding/dual.h"
#include "coding/encoder.h"
#include "learning/encoder_fit.h"
#include "learning/pass.h"

#include <math.h>
#include <string.h>

enum { PASSES = 4, TEACHER_PASSES = 8, SAMPLES = 5000, TEACHER_SAMPLES = 20000 };
static const double FIT_RIDGE = 1e-6; /* of the mean diagonal of Z Z^T */

dltf_status dl_encoder_stage_alloc(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    dl_encoder_stage *s = &l->encoder;
    DL_TRY_NEW(s->order, l->N < TEACHER_SAMPLES ? l->N : TEACHER_SAMPLES);
    DL_TRY_NEW(s->E, l->m * l->n);
    DL_TRY_NEW(s->bias, l->m);
    DL_TRY_NEW(s->factor, l->m * l->m);
    if (l->options.encoder != DLTF_ENCODER_DISTILLED)
        goto done;
    DL_TRY_NEW(s->A, l->n * l->n);
    DL_TRY_NEW(s->x_sum, l->n);
    DL_TRY_NEW(s->panel, l->threads * DL_STATISTICS_PANEL * l->n);
done:
    return status;
}

void dl_encoder_stage_free(dltf_learner *l) {
    dl_encoder_stage *s = &l->encoder;
    dl_free(s->order);
    dl_free(s->E);
    dl_free(s->bias);
    dl_free(s->A);
    dl_free(s->x_sum);
    dl_free(s->factor);
    dl_free(s->panel);
    *s = (dl_encoder_stage){0};
}

/* Samples at equal distances: as good as random ones, and of every part of sorted data. */
static void choose_samples(dltf_learner *l, int64_t most) {
    dl_encoder_stage *s = &l->encoder;
    s->count = l->N < most ? l->N : most;
    for (int64_t i = 0; i < s->count; i++)
        s->order[i] = (int64_t)((double)i * (double)l->N / (double)s->count);
}

/* The dictionary with its dual, as a model of samples that are preprocessed already. */
static dltf_status make_model(dltf_learner *l, dltf_model **model) {
    dltf_status status = DLTF_OK;
    int64_t entries = l->m * l->n;
    float *dual = NULL;
    DL_TRY_NEW(dual, entries);
    dl_dual_encoder(l->threads, l->W, l->m, l->n, l->options.ridge, l->encoder.factor, l->encoder.E);
    for (int64_t i = 0; i < entries; i++) {
        l->narrow[i] = (float)l->W[i];
        dual[i] = (float)l->encoder.E[i];
    }
    dltf_model_view parts = {.m = l->m,
                             .n = l->n,
                             .k = l->k,
                             .dictionary = l->narrow,
                             .encoder = dual,
                             .select = l->options.select};
    DL_TRY(dltf_model_new(&parts, model));
done:
    dl_free(dual);
    return status;
}

static void load_tile(void *context, int64_t tile, int worker) {
    dl_pass_tile(context, tile, worker);
}

/* Codes and statistics of a loaded block. */
static void code_block(dl_pass *pass) {
    dltf_learner *l = pass->l;
    dl_encoder_stage *s = &l->encoder;
    dl_slots Z = dl_slots_from(&l->Z, 0, pass->rows);
    if (s->status == DLTF_OK)
        s->status =
            dl_encoder_rows(s->encoder, dltf_matrix_f32(l->block, pass->rows, l->n), 0, pass->first, Z);
    if (s->status != DLTF_OK)
        return;
    dl_statistics_add(&l->statistics, l->block, Z, NULL);
    for (int64_t i = 0; i < pass->rows * l->n; i++)
        s->X_square += (double)l->block[i] * (double)l->block[i];
    if (!s->A)
        return;
    dl_moment_add(l->threads, l->block, pass->rows, l->n, s->panel, s->A);
    for (int64_t i = 0; i < pass->rows; i++)
        for (int64_t d = 0; d < l->n; d++)
            s->x_sum[d] += (double)l->block[i * l->n + d];
}

/* Codes of several passes for the chosen samples: all that is wanted of them goes into the statistics; those
 * of the last block, `rows` samples, stay. */
static dltf_status code_samples(dltf_learner *l, int64_t passes, int64_t *rows) {
    dl_encoder_stage *s = &l->encoder;
    dltf_model *model = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.coder = DLTF_CODER_HTP;
    encoding.passes = passes;
    encoding.threads = l->threads;
    s->X_square = 0;
    if (s->A) {
        memset(s->A, 0, (size_t)(l->n * l->n) * sizeof *s->A);
        memset(s->x_sum, 0, (size_t)l->n * sizeof *s->x_sum);
    }
    dl_statistics_clear(&l->statistics);
    s->status = make_model(l, &model);
    if (s->status == DLTF_OK)
        s->status = dltf_encoder_new(model, &encoding, &s->encoder);
    dl_pass pass = {.l = l, .order = s->order, .count = s->count};
    if (s->status == DLTF_OK)
        dl_pass_run(&pass, load_tile, code_block);
    *rows = pass.rows;
    dltf_encoder_free(s->encoder);
    s->encoder = NULL;
    dltf_model_free(model);
    memcpy(l->code_sum, l->statistics.code_sum, (size_t)l->m * sizeof *l->code_sum);
    return s->status;
}

dltf_status dl_encoder_iteration(dltf_learner *l, int64_t index, dltf_iteration *record) {
    dl_encoder_stage *s = &l->encoder;
    bool last = index == l->options.polish;
    choose_samples(l, last ? TEACHER_SAMPLES : SAMPLES);
    int64_t rows = 0;
    dltf_status status = code_samples(l, last ? TEACHER_PASSES : PASSES, &rows);
    if (status != DLTF_OK)
        return status;
    dl_w_problem problem = {.s = &l->statistics, .X_square = s->X_square};
    s->residual = fmax(0, dl_w_residual(&problem, l->W, &l->w_space));
    record->relative_error = s->X_square > 0 ? s->residual / s->X_square : 0;
    if (last) {
        status = dl_fit_encoder(l);
    } else {
        dl_fit_dictionary(l, l->statistics.D, l->statistics.C, FIT_RIDGE, s->factor, s->E);
        dl_learner_refresh(l);
        if (index + 1 < l->options.polish) /* what is put in at the end has no time to settle */
            record->atoms_replaced = dl_replace_useless(l, l->statistics.use, rows, index);
    }
    dl_learner_describe(l, record);
    return status;
}
