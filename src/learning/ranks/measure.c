/* Quality of a divided model. Every rank codes all samples with its own atoms, then ranks select. The atoms
 * of the codes of a few samples are collected, so that errors and least squares are those of the whole model.
 */
#include "learning/ranks/measure.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/encoder.h"
#include "coding/least_squares.h"
#include "comm/comm.h"
#include "data/model.h"
#include "learning/ranks/codes.h"
#include "learning/ranks/rows.h"

/* ---- Codes ---- */

/* Codes of the atoms of this rank, as these are counted among all. */
static dltf_status code_own(const dltf_learner *l, const dltf_model *own, dltf_matrix X, dl_slots codes) {
    dltf_status status = DLTF_OK;
    dltf_encoder *encoder = NULL;
    dltf_encode_options options = dltf_encode_options_default();
    options.threads = l->threads;
    if (own->parts.m == 0)
        return DLTF_OK;
    DL_TRY(dl_encoder_open(own, &options, X.rows, &encoder));
    DL_TRY(dl_encoder_rows(encoder, X, 0, 0, codes));
    for (int64_t i = 0; i < X.rows; i++)
        for (int32_t e = 0; e < codes.count[i]; e++)
            codes.index[i * codes.k + e] += (int32_t)l->first_atom;
done:
    dltf_encoder_free(encoder);
    return status;
}

static dltf_status code(const dltf_learner *l, const dltf_model *own, dltf_matrix X, dl_slots codes) {
    dltf_status status = DLTF_OK;
    dl_slots found = {0};
    dl_rank_codes ranks = {0};
    DL_TRY(dl_slots_alloc(&found, X.rows, dl_max(1, own->parts.k)));
    DL_TRY(dl_rank_codes_alloc(&ranks, l->threads, X.rows, l->k));
    status = code_own(l, own, X, found);
done:
    status = dl_comm_attempt(status); /* a training may survive it, on all ranks or none */
    if (status == DLTF_OK)
        dl_rank_codes_select(&ranks, found, l->options.select == DLTF_SELECT_POSITIVE, codes);
    dl_slots_free(&found);
    dl_rank_codes_free(&ranks);
    return status == DLTF_OK ? dl_comm_status() : status;
}

/* ---- Errors ---- */

enum { COLLECTED = 16 }; /* samples whose atoms are collected at a time */

typedef struct measurement {
    const dltf_learner *l;
    dltf_model seen; /* a model whose atoms are those of the codes of some samples */
    dl_samples samples;
    dl_slots codes;
    dl_rank_rows rows;
    dl_residual raw, refitted;
    float *X;        /* DL_TILE x n */
    double *scratch; /* for least squares */
    int64_t *slices; /* samples of a tile that each rank refits */
} measurement;

static dltf_status alloc(measurement *t, dltf_matrix X) {
    dltf_status status = DLTF_OK;
    const dltf_learner *l = t->l;
    DL_TRY(dl_slots_alloc(&t->codes, X.rows, l->k));
    DL_TRY(dl_rank_rows_alloc(&t->rows, l->m, l->n, COLLECTED * l->k));
    t->seen = (dltf_model){.parts = {.n = l->n,
                                     .k = l->k,
                                     .remove_mean = l->options.remove_mean,
                                     .unit_norm = l->options.unit_norm},
                           .mean = l->mean,
                           .deviation = l->deviation,
                           .offset = l->offset,
                           .dictionary = t->rows.all};
    t->samples = dl_model_samples(&t->seen, X);
    DL_TRY(dl_residual_open(&t->raw, &t->seen, 1, DL_TILE));
    DL_TRY(dl_residual_open(&t->refitted, &t->seen, 1, DL_TILE));
    DL_TRY_NEW(t->X, DL_TILE * l->n);
    DL_TRY_NEW(t->scratch, dl_refit_scratch(l->k, l->n));
    DL_TRY_NEW(t->slices, dl_comm_size());
done:
    return status;
}

static void free_memory(measurement *t) {
    dl_slots_free(&t->codes);
    dl_rank_rows_free(&t->rows);
    dl_residual_close(&t->raw);
    dl_residual_close(&t->refitted);
    dl_free(t->X);
    dl_free(t->scratch);
    dl_free(t->slices);
}

static void load(const measurement *t, dl_residual *residual, int64_t first, int64_t rows) {
    dl_residual_begin(residual, 0, 0);
    for (int64_t i = 0; i < rows; i++)
        dl_residual_load(residual, &t->samples, 0, 0, first + i, i, t->X + i * t->l->n);
}

static void add_errors(const measurement *t, dl_residual *residual, int64_t first, dl_slots codes) {
    for (int64_t i = 0; i < codes.rows; i++)
        dl_residual_code(residual, 0, 0, first + i, t->X + (first + i) * t->l->n, dl_slots_code(&codes, i));
}

/* Each rank refits some of the codes. */
static void refit(measurement *t, const float *X, dl_slots codes) {
    int64_t n = t->l->n, own = dl_comm_first(codes.rows, dl_comm_rank());
    dl_slots some = dl_slots_from(&codes, own, dl_comm_first(codes.rows, dl_comm_rank() + 1) - own);
    dl_refit_tile(t->rows.all, n, X + own * n, n, some.rows, some, t->scratch);
    for (int r = 0; r < dl_comm_size(); r++)
        t->slices[r] = dl_comm_first(codes.rows, r + 1) - dl_comm_first(codes.rows, r);
    dl_comm_gather_all(NULL, t->slices, codes.k * (int64_t)sizeof *codes.value, codes.value);
}

static dltf_status finish(dl_residual *residual, int64_t rows) {
    dl_residual_end(residual, 0, 0);
    return dl_residual_join(residual, residual->sums, rows);
}

static dltf_status measure_tile(measurement *t, const dltf_model *own, int64_t first) {
    const dltf_learner *l = t->l;
    int64_t rows = dl_min(DL_TILE, t->codes.rows - first);
    load(t, &t->raw, first, rows);
    load(t, &t->refitted, first, rows);
    for (int64_t i = 0; i < rows; i += COLLECTED) {
        dl_slots codes = dl_slots_from(&t->codes, first + i, dl_min(COLLECTED, rows - i));
        dl_rank_rows_collect(&t->rows, codes, own->dictionary, l->first_atom);
        dltf_status status = dl_comm_status();
        if (status != DLTF_OK)
            return status;
        codes.index = t->rows.place;
        add_errors(t, &t->raw, i, codes);
        refit(t, t->X + i * l->n, codes);
        add_errors(t, &t->refitted, i, codes);
    }
    dltf_status status = finish(&t->raw, rows);
    return status == DLTF_OK ? finish(&t->refitted, rows) : status;
}

static dltf_status count_use(const measurement *t, dltf_quality *quality) {
    int64_t entries = 0, used = 0, m = t->l->m;
    bool *seen = DL_NEW(bool, m);
    if (!seen)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < t->codes.rows; i++)
        for (int64_t e = i * t->codes.k; e < i * t->codes.k + t->codes.count[i]; e++, entries++) {
            used += !seen[t->codes.index[e]];
            seen[t->codes.index[e]] = true;
        }
    quality->entries = (double)entries / (double)t->codes.rows;
    quality->unused_share = (double)(m - used) / (double)m;
    dl_free(seen);
    return DLTF_OK;
}

dltf_status dl_shared_quality(const dltf_learner *l, dltf_matrix X, dltf_quality *quality) {
    dltf_status status = DLTF_OK;
    dltf_model *own = NULL;
    measurement t = {.l = l};
    DL_TRY(dl_comm_attempt(dl_learner_own_model(l, &own)));
    DL_TRY(dl_comm_attempt(alloc(&t, X)));
    DL_TRY(code(l, own, X, t.codes));
    DL_TRY(dl_comm_attempt(count_use(&t, quality)));
    for (int64_t first = 0; first < X.rows; first += DL_TILE)
        DL_TRY(measure_tile(&t, own, first));
    quality->raw_error = dl_residual_relative(&t.raw);
    quality->raw_explained = dl_residual_explained(&t.raw);
    quality->refit_error = dl_residual_relative(&t.refitted);
    quality->refit_explained = dl_residual_explained(&t.refitted);
    status = dl_comm_attempt(dl_mean_share(&t.samples, &quality->mean_share));
done:
    free_memory(&t);
    dltf_model_free(own);
    return status;
}
