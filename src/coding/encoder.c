/* An encoder: a model prepared for coding, with all memory that coding needs. Public functions
 * dltf_encoder_*; dltf_encode in encode.c is built on it. */
#include "coding/encoder.h"

#include "base/finite.h"
#include "base/integer.h"
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
    const dl_coder *coder;
    void *state; /* of the coder */
    dl_workspace *spaces;
    double **refit_scratch; /* one per thread; NULL without refit */
    int64_t *refit_room;    /* entries of a code that they are for */
    bool *exhausted;        /* whether a thread could not enlarge it */
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

/* A model with thresholds has no k: its own feature takes none, other coders need one. */
static dltf_status apply_thresholds(const dltf_encode_options *options, dl_recipe *recipe) {
    if (!dl_coder_find(options->coder)->feature_only)
        return options->k > 0
                   ? DLTF_OK
                   : dl_fail_option(DLTF_ARGUMENT, "k", "is needed: the model has thresholds instead of a k");
    if (options->k > 0)
        return dl_fail_option(DLTF_ARGUMENT, "k",
                              "does not apply: the model keeps all scores above its thresholds");
    if (!recipe->feature.positive)
        return dl_fail_option(DLTF_ARGUMENT, "select",
                              "does not apply: the model keeps all scores above its thresholds");
    recipe->feature.cut = recipe->model->cut;
    return DLTF_OK;
}

/* Checks the options against the model and fills in what they leave open. */
static dltf_status make_recipe(const dltf_model *model, const dltf_encode_options *options,
                               dl_recipe *recipe) {
    dltf_status status = dl_option_check(dl_encode_option_table(), options, NULL);
    if (status != DLTF_OK)
        return status;
    const dltf_model_view *parts = &model->parts;
    if (options->k > parts->m)
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than the model's %lld atoms",
                              (long long)options->k, (long long)parts->m);
    int64_t k = options->k > 0 ? options->k : parts->k;
    dltf_select select = options->select == DLTF_SELECT_MODEL ? parts->select : options->select;
    *recipe = (dl_recipe){
        .model = model,
        .options = *options,
        .feature = {.E = &model->packed, .k = k, .positive = select == DLTF_SELECT_POSITIVE},
        .threads = dl_thread_count(options->threads),
    };
    recipe->options.k = k;
    recipe->options.select = select;
    status = check_coder(dl_coder_find(options->coder), recipe);
    return status == DLTF_OK && model->cut ? apply_thresholds(options, recipe) : status;
}

/* Measured: coding this many samples in full tiles saves what making the filter costs; a single sample, which
 * reads the whole matrix alone, saves as much as SINGLE + 1 of them. */
enum { FILTER_PAYS = 512, SINGLE = 12 };

/* Whether to code with the filter: if the model has it or, counting this call, enough samples to pay for it.
 * Codes are the same either way. */
static bool wants_filter(const dltf_encoder *e, int64_t rows) {
    int64_t counted = dl_min(rows, FILTER_PAYS);
    const dl_recipe *recipe = &e->recipe;
    const dltf_model_view *parts = &recipe->model->parts;
    return e->coder->starts_from_feature && dl_prefilter_pays(parts->m, parts->n, recipe->listed) &&
           (dl_model_derived(recipe->model, DL_DERIVED_FILTER) ||
            dl_model_count(recipe->model, counted + SINGLE * dl_tiles(counted, DL_TILE)) >= FILTER_PAYS);
}

/* Longest code that scratch for refitting is allocated for. With thresholds, a code can have m entries, whose
 * Gram matrix may not fit into memory; threads enlarge the scratch when such a code appears. */
enum { REFIT_ENTRIES = 256 };

static dltf_status alloc_refit(dltf_encoder *e) {
    dltf_status status = DLTF_OK;
    const dl_recipe *recipe = &e->recipe;
    int64_t k = recipe->feature.k, room = recipe->feature.cut ? dl_min(k, REFIT_ENTRIES) : k;
    DL_TRY_NEW(e->refit_scratch, recipe->workers);
    DL_TRY_NEW(e->refit_room, recipe->workers);
    DL_TRY_NEW(e->exhausted, recipe->workers);
    for (int t = 0; t < recipe->workers; t++) {
        DL_TRY_NEW(e->refit_scratch[t], dl_refit_scratch(room, recipe->model->parts.n));
        e->refit_room[t] = room;
    }
done:
    return status;
}

static dltf_status alloc_spaces(dltf_encoder *e, int64_t rows) {
    dltf_status status = DLTF_OK;
    const dl_recipe *recipe = &e->recipe;
    int64_t m = recipe->model->parts.m, n = recipe->model->parts.n, listed = recipe->rows;
    bool filtered = !recipe->feature.cut && wants_filter(e, rows);
    if (filtered)
        DL_TRY(dl_prefilter_derive(recipe->model, &e->recipe.feature.filter));
    if (filtered && e->coder->feature_only)
        listed = 1; /* samples that the filter leaves are coded one by one */
    if (recipe->feature.cut)
        DL_TRY(dl_workspaces_alloc_cuts(recipe->workers, recipe->rows, m, n, &e->spaces));
    else
        DL_TRY(dl_workspaces_alloc_rows(recipe->workers, recipe->rows, listed, m, n, recipe->listed,
                                        &e->spaces));
    for (int t = 0; filtered && t < recipe->workers; t++)
        DL_TRY(dl_prefilter_space_alloc(recipe->rows, n, recipe->listed, &e->spaces[t].filter));
    if (recipe->options.refit)
        DL_TRY(alloc_refit(e));
done:
    return status;
}

dltf_status dl_encoder_open(const dltf_model *model, const dltf_encode_options *options, int64_t rows,
                            dltf_encoder **encoder) {
    dltf_encode_options own;
    dl_recipe recipe;
    dltf_status status = DL_READ_OPTIONS(encode, options, &own);
    if (status == DLTF_OK)
        status = make_recipe(model, &own, &recipe);
    if (status != DLTF_OK)
        return status;
    rows = dl_max(1, rows); /* checked later, as other errors come first */
    recipe.rows = dl_min(rows, DL_TILE);
    recipe.workers = (int)dl_min(recipe.threads, rows / DL_TILE + (rows % DL_TILE > 0));
    dltf_encoder *e = NULL;
    DL_TRY_NEW(e, 1);
    e->recipe = recipe;
    e->coder = dl_coder_find(own.coder);
    DL_TRY(alloc_spaces(e, rows));
    if (e->coder->prepare)
        DL_TRY(e->coder->prepare(&e->recipe, &e->state));
    *encoder = e;
    e = NULL;
done:
    dltf_encoder_free(e);
    return status;
}

dltf_status dltf_encoder_new(const dltf_model *model, const dltf_encode_options *options,
                             dltf_encoder **encoder) {
    DL_CLEAR(encoder);
    DL_REQUIRE(model, encoder);
    return dl_encoder_open(model, options, INT64_MAX, encoder);
}

void dltf_encoder_free(dltf_encoder *e) {
    if (!e)
        return;
    if (e->state)
        e->coder->free(e->state);
    for (int t = 0; e->refit_scratch && t < e->recipe.workers; t++)
        dl_free(e->refit_scratch[t]);
    dl_free(e->refit_scratch);
    dl_free(e->refit_room);
    dl_free(e->exhausted);
    dl_workspaces_free(e->spaces, e->recipe.workers);
    dl_free(e);
}

int64_t dltf_encoder_k(const dltf_encoder *encoder) {
    return encoder ? encoder->recipe.feature.k : 0;
}

bool dl_encoder_unlimited(const dltf_encoder *encoder) {
    return encoder->recipe.feature.cut != NULL;
}

int64_t dl_encoder_batch(const dltf_encoder *encoder) {
    const int64_t most_tiles = 64, entries = 1 << 20;
    int64_t tiles = entries / (DL_TILE * encoder->recipe.feature.k);
    return DL_TILE * dl_min(most_tiles, dl_max(encoder->recipe.workers, tiles));
}

/* False if there is not enough memory, which encode_batch reports. */
static bool enlarge_refit(const dltf_encoder *e, int worker, int64_t rows, dl_slots codes) {
    int64_t longest = 0;
    for (int64_t i = 0; i < rows; i++)
        longest = dl_max(longest, codes.count[i]);
    if (longest <= e->refit_room[worker])
        return true;
    double *scratch = DL_NEW(double, dl_refit_scratch(longest, e->recipe.model->parts.n));
    e->exhausted[worker] = !scratch;
    if (!scratch)
        return false;
    dl_free(e->refit_scratch[worker]);
    e->refit_scratch[worker] = scratch;
    e->refit_room[worker] = longest;
    return true;
}

void dl_encoder_tile(const dltf_encoder *e, int worker, const float *X, int64_t x_stride, int64_t rows,
                     dl_slots out) {
    const dltf_model *model = e->recipe.model;
    e->coder->tile(&e->recipe, e->state, worker, X, x_stride, rows, &e->spaces[worker], out);
    if (e->refit_scratch && enlarge_refit(e, worker, rows, out))
        dl_refit_tile(model->dictionary, model->parts.n, X, x_stride, rows, out, e->refit_scratch[worker]);
    if (e->refit_scratch || !e->coder->feature_only) /* coefficients, not scores */
        dl_unscale_tile(model->scale, dl_slots_from(&out, 0, rows));
}

typedef struct batch {
    const dltf_encoder *e;
    dl_samples samples;
    int64_t first;  /* row of X */
    int64_t number; /* of row 0 of X in messages */
    dl_slots out;
    dl_residual *residual; /* NULL: not measured */
} batch;

/* The preprocessed samples of a tile: in place if possible, otherwise in the work space. */
static const float *load_tile(const batch *b, int64_t tile, int worker, int64_t rows, int64_t *x_stride) {
    dl_workspace *space = &b->e->spaces[worker];
    int64_t n = b->samples.X.cols, first = b->first + tile * DL_TILE;
    const float *X = dl_samples_direct(&b->samples, first, x_stride);
    for (int64_t i = 0; !X && i < rows; i++)
        dl_samples_row(&b->samples, first + i, space->row, space->X + i * n);
    return X ? X : space->X;
}

/* The same, with the sums that do not need codes. Copies samples that are in place, in single precision. */
static const float *load_measured(const batch *b, int64_t tile, int worker, int64_t rows) {
    float *X = b->e->spaces[worker].X;
    int64_t n = b->samples.X.cols, first = b->first + tile * DL_TILE;
    dl_residual_begin(b->residual, tile, worker);
    for (int64_t i = 0; i < rows; i++)
        dl_residual_load(b->residual, &b->samples, tile, worker, first + i, i, X + i * n);
    return X;
}

static void measure_tile(const batch *b, int64_t tile, int worker, const float *X, dl_slots codes) {
    for (int64_t i = 0; i < codes.rows; i++)
        dl_residual_code(b->residual, tile, worker, i, X + i * b->samples.X.cols, dl_slots_code(&codes, i));
    dl_residual_end(b->residual, tile, worker);
}

static void encode_tile(void *context, int64_t tile, int worker) {
    const batch *b = context;
    int64_t start = tile * DL_TILE, rows = dl_min(b->out.rows - start, DL_TILE), x_stride = b->samples.X.cols;
    const float *X =
        b->residual ? load_measured(b, tile, worker, rows) : load_tile(b, tile, worker, rows, &x_stride);
    dl_slots codes = dl_slots_from(&b->out, start, rows);
    dl_encoder_tile(b->e, worker, X, x_stride, rows, codes);
    if (b->residual)
        measure_tile(b, tile, worker, X, codes);
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

static dltf_status encode_batch(batch *b) {
    if (!dl_parallel_polled(b->e->recipe.workers, dl_tiles(b->out.rows, DL_TILE), encode_tile, b))
        return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    for (int t = 0; b->e->exhausted && t < b->e->recipe.workers; t++)
        if (b->e->exhausted[t])
            return dl_fail(DLTF_MEMORY, "not enough memory to refit codes of so many entries");
    dltf_status status = dl_matrix_status(b->samples.X);
    return status == DLTF_OK ? check_codes(b) : status;
}

dltf_status dl_encoder_rows(dltf_encoder *e, dltf_matrix X, int64_t first, int64_t number, dl_slots out) {
    batch b = {.e = e,
               .samples = dl_model_samples(e->recipe.model, X),
               .first = first,
               .number = number,
               .out = out};
    return encode_batch(&b);
}

dltf_status dl_encoder_piece(dltf_encoder *e, dltf_matrix X, int64_t number, dl_slots out,
                             dl_residual *residual) {
    batch b = {.e = e,
               .samples = dl_model_samples(e->recipe.model, X),
               .number = number,
               .out = out,
               .residual = residual};
    dltf_status status = encode_batch(&b);
    return status == DLTF_OK && residual ? dl_residual_check(residual, X, number) : status;
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
