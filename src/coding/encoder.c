/* An encoder: a model prepared for coding, with all memory that coding needs. Public functions
 * dltf_encoder_*; dltf_encode in encode.c is built on it. */
#include "coding/encoder.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "coding/coder.h"
#include "coding/encode_options.h"
#include "coding/prefilter.h"
#include "data/matrix.h"
#include "data/model.h"

#include <string.h>

struct dltf_encoder {
    dl_recipe recipe;
    dl_prefilter filter; /* for large dictionaries */
    const dl_coder *coder;
    void *state; /* of the coder */
    dl_workspace *spaces;
    double **refit_scratch; /* one per thread; NULL without refit */
};

static dltf_status check_coder(const dl_coder *coder, dl_recipe *recipe) {
    if (!coder)
        return dl_fail_option(DLTF_ARGUMENT, "coder",
                              "unsupported: this library has only threshold and shortlist");
    if (recipe->feature.positive && !coder->takes_positive)
        return dl_fail_option(DLTF_ARGUMENT, "select",
                              "the coder %s chooses atoms by magnitude; select abs, or use another coder",
                              coder->name);
    recipe->listed = recipe->feature.k;
    return coder->list ? coder->list(recipe, &recipe->listed) : DLTF_OK;
}

/* Checks the encoding against the model and fills in what it leaves open. */
static dltf_status make_recipe(const dltf_model *model, const dltf_encode_options *encoding,
                               dl_recipe *recipe) {
    dltf_status status = dl_option_check(dl_encode_option_table(), encoding, NULL);
    if (status != DLTF_OK)
        return status;
    const dltf_model_view *parts = &model->parts;
    if (encoding->k > parts->m)
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than the model's %lld atoms",
                              (long long)encoding->k, (long long)parts->m);
    int64_t k = encoding->k > 0 ? encoding->k : parts->k;
    dltf_select select = encoding->select == DLTF_SELECT_MODEL ? parts->select : encoding->select;
    *recipe = (dl_recipe){
        .model = model,
        .options = *encoding,
        .feature = {.E = &model->packed, .k = k, .positive = select == DLTF_SELECT_POSITIVE},
        .threads = dl_thread_count(encoding->threads),
    };
    recipe->options.k = k;
    recipe->options.select = select;
    return check_coder(dl_coder_find(encoding->coder), recipe);
}

static dltf_status add_filter(dltf_encoder *e) {
    const dltf_model_view *parts = &e->recipe.model->parts;
    const float *E = parts->encoder ? parts->encoder : parts->dictionary;
    dl_feature *feature = &e->recipe.feature;
    dltf_status status = dl_prefilter_make(E, feature->E, &e->filter);
    for (int t = 0; status == DLTF_OK && t < e->recipe.threads; t++)
        status = dl_prefilter_space_alloc(parts->n, e->recipe.listed, &e->spaces[t].filter);
    feature->filter = &e->filter;
    return status;
}

dltf_status dltf_encoder_new(const dltf_model *model, const dltf_encode_options *encoding,
                             dltf_encoder **encoder) {
    DL_CLEAR(encoder);
    DL_REQUIRE(model, encoder);
    dltf_encode_options own;
    dl_recipe recipe;
    dltf_status status = DL_READ_OPTIONS(encode, encoding, &own);
    if (status == DLTF_OK)
        status = make_recipe(model, &own, &recipe);
    if (status != DLTF_OK)
        return status;
    int64_t m = model->parts.m, n = model->parts.n, k = recipe.feature.k;
    dltf_encoder *e = NULL;
    DL_TRY_NEW(e, 1);
    e->recipe = recipe;
    e->coder = dl_coder_find(own.coder);
    DL_TRY(dl_workspaces_alloc(recipe.threads, m, n, recipe.listed, &e->spaces));
    if (e->coder->starts_from_feature && dl_prefilter_pays(m, n, recipe.listed))
        DL_TRY(add_filter(e));
    if (own.refit) {
        DL_TRY_NEW(e->refit_scratch, recipe.threads);
        for (int t = 0; t < recipe.threads; t++)
            DL_TRY_NEW(e->refit_scratch[t], dl_refit_scratch(k, n));
    }
    if (e->coder->prepare)
        DL_TRY(e->coder->prepare(&e->recipe, &e->state));
    *encoder = e;
    e = NULL;
done:
    dltf_encoder_free(e);
    return status;
}

void dltf_encoder_free(dltf_encoder *e) {
    if (!e)
        return;
    if (e->state)
        e->coder->free(e->state);
    for (int t = 0; e->refit_scratch && t < e->recipe.threads; t++)
        dl_free(e->refit_scratch[t]);
    dl_free(e->refit_scratch);
    dl_workspaces_free(e->spaces, e->recipe.threads);
    dl_prefilter_free(&e->filter);
    dl_free(e);
}

int64_t dltf_encoder_k(const dltf_encoder *encoder) {
    return encoder ? encoder->recipe.feature.k : 0;
}

void dl_encoder_tile(const dltf_encoder *e, int worker, const float *X, int64_t x_stride, int64_t rows,
                     dl_slots out) {
    const dltf_model *model = e->recipe.model;
    e->coder->tile(&e->recipe, e->state, worker, X, x_stride, rows, &e->spaces[worker], out);
    if (e->refit_scratch)
        dl_refit_tile(model->dictionary, model->parts.n, X, x_stride, rows, out, e->refit_scratch[worker]);
}

typedef struct batch {
    const dltf_encoder *e;
    dl_samples samples;
    int64_t first;  /* row of X */
    int64_t number; /* of row 0 of X in messages */
    dl_slots out;
} batch;

static void encode_tile(void *context, int64_t tile, int worker) {
    const batch *b = context;
    const dltf_encoder *e = b->e;
    dl_workspace *space = &e->spaces[worker];
    int64_t n = b->samples.X.cols, start = tile * DL_TILE, left = b->out.rows - start;
    int64_t rows = left < DL_TILE ? left : DL_TILE, x_stride = n;
    const float *X = dl_samples_direct(&b->samples, b->first + start, &x_stride);
    for (int64_t i = 0; !X && i < rows; i++)
        dl_samples_row(&b->samples, b->first + start + i, space->row, space->X + i * n);
    dl_encoder_tile(e, worker, X ? X : space->X, x_stride, rows, dl_slots_from(&b->out, start, rows));
}

/* The reason why the code of a sample is not finite: NaN or infinity among its values, or overflow of the
 * products. */
static dltf_status explain_row(const batch *b, int64_t i) {
    double *row = b->e->spaces[0].row;
    dl_matrix_row(b->samples.X, i, row);
    dltf_status status = dl_row_check_finite(row, b->samples.X.cols, b->number + i, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    return dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                         "row %lld: its scores overflow single precision: rescale the data",
                         (long long)(b->number + i));
}

static bool full(dl_slots codes) {
    int32_t missing = 0;
    for (int64_t i = 0; i < codes.rows; i++)
        missing |= codes.count[i] ^ (int32_t)codes.k;
    return !missing;
}

/* A NaN in a sample makes all of its scores NaN, and NaN ranks first, so it is enough to check the codes. If
 * all codes are full, as usual, they are one contiguous array. */
static dltf_status check_codes(const batch *b) {
    dl_slots codes = b->out;
    if (full(codes) && dl_all_finite(codes.value, codes.rows * codes.k))
        return DLTF_OK;
    for (int64_t i = 0; i < codes.rows; i++)
        if (!dl_all_finite(codes.value + i * codes.k, codes.count[i]))
            return explain_row(b, b->first + i);
    return DLTF_OK;
}

dltf_status dl_encoder_rows(dltf_encoder *e, dltf_matrix X, int64_t first, int64_t number, dl_slots out) {
    const dltf_model *model = e->recipe.model;
    batch b = {.e = e, .samples = dl_model_samples(model, X), .first = first, .number = number, .out = out};
    if (!dl_parallel_polled(e->recipe.threads, dl_tiles(out.rows, DL_TILE), encode_tile, &b))
        return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    dltf_status status = dl_matrix_status(X);
    return status == DLTF_OK ? check_codes(&b) : status;
}

dltf_status dl_encoder_check(const dltf_encoder *e, dltf_matrix X) {
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK && X.cols != e->recipe.model->parts.n)
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "%lld columns, but the model expects %lld",
                               (long long)X.cols, (long long)e->recipe.model->parts.n);
    return status;
}

dltf_status dltf_encoder_run(dltf_encoder *encoder, dltf_matrix X, int32_t *count, int32_t *index,
                             float *value) {
    DL_REQUIRE(encoder, count, index, value);
    dltf_status status = dl_encoder_check(encoder, X);
    if (status != DLTF_OK)
        return status;
    return dl_encoder_rows(encoder, X, 0, 0,
                           (dl_slots){X.rows, encoder->recipe.feature.k, count, index, value});
}
