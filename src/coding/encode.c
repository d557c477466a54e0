/* dltf_encode, dltf_decode and the reconstruction error: whole data sets through a model, tile by tile. */
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/coder.h"
#include "data/codes.h"
#include "data/matrix.h"
#include "data/model.h"
#include "options.h"

#include <math.h>

enum { TILES_PER_REPORT = 64 };

typedef struct encoder {
    const dltf_model *model;
    dl_samples samples;
    dl_coder coder;
    bool refit;
    dl_workspace *spaces;
    double **refit_scratch; /* one per thread, or NULL */
    dl_slots slots;
    int64_t first_tile;
} encoder;

static void encode_tile(void *context, int64_t tile, int worker) {
    encoder *e = context;
    dl_workspace *space = &e->spaces[worker];
    int64_t n = e->samples.X.cols, first = (e->first_tile + tile) * DL_TILE;
    int64_t rows = e->slots.rows - first < DL_TILE ? e->slots.rows - first : DL_TILE;
    int64_t x_stride = n;
    const float *X = dl_samples_direct(&e->samples, first, &x_stride);
    for (int64_t i = 0; !X && i < rows; i++)
        dl_samples_row(&e->samples, first + i, space->row, space->X + i * n);
    X = X ? X : space->X;
    dl_slots out = dl_slots_from(&e->slots, first, rows);
    dl_feature_tile(&e->coder, X, x_stride, rows, space, out);
    if (e->refit)
        dl_refit_tile(e->model->dictionary, n, X, x_stride, rows, out, e->refit_scratch[worker]);
}

static dltf_status check_encoding(const dltf_model *model, dltf_matrix X, const dltf_encoding *encoding) {
    dltf_status status = dl_matrix_check(X, "data");
    if (status == DLTF_OK)
        status = dl_options_check(dltf_encode_options(), encoding);
    if (status != DLTF_OK)
        return status;
    if (X.cols != model->parts.n)
        return dl_fail(DLTF_DATA, "the data have %lld columns, the model was made for %lld",
                       (long long)X.cols, (long long)model->parts.n);
    if (encoding->k > model->parts.m)
        return dl_fail(DLTF_ARGUMENT, "k = %lld is more than the model's %lld atoms", (long long)encoding->k,
                       (long long)model->parts.m);
    return DLTF_OK;
}

static dltf_status run_encoder(encoder *e, int threads, dltf_progress_fn progress, void *context) {
    int64_t tiles = dl_tiles(e->slots.rows, DL_TILE);
    for (e->first_tile = 0; e->first_tile < tiles; e->first_tile += TILES_PER_REPORT) {
        int64_t left = tiles - e->first_tile;
        dl_parallel(threads, left < TILES_PER_REPORT ? left : TILES_PER_REPORT, encode_tile, e);
        int64_t done = (e->first_tile + TILES_PER_REPORT) * DL_TILE;
        dltf_progress report = {"encoding", done < e->slots.rows ? done : e->slots.rows, e->slots.rows, NULL};
        if (progress && progress(context, &report) != 0)
            return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    }
    return DLTF_OK;
}

/* Why the code of a sample is not finite: NaN or infinity among its values, or values too large for the
 * products. A NaN in a sample makes all of its scores NaN and ranks first, so that looking at codes is enough
 * to find it. */
static dltf_status explain_row(const encoder *e, int64_t i) {
    double *row = e->spaces[0].row;
    dl_matrix_row(e->samples.X, i, row);
    dltf_status status = dl_row_check_finite(row, e->samples.X.cols, i, "data");
    if (status != DLTF_OK)
        return status;
    return dl_fail(DLTF_NUMERIC,
                   "data: row %lld: its scores leave the range of single precision: rescale the data",
                   (long long)i);
}

/* Codes of fixed width, closed up in place to compressed rows. Entries that refitting made exactly zero are
 * dropped. */
static dltf_status compress(const encoder *e, dltf_codes *codes) {
    const dl_slots *slots = &e->slots;
    int64_t at = 0;
    for (int64_t i = 0; i < slots->rows; i++) {
        for (int64_t s = i * slots->k; s < i * slots->k + slots->count[i]; s++) {
            float value = codes->values[s];
            if (!isfinite(value))
                return explain_row(e, i);
            codes->indices[at] = codes->indices[s];
            codes->values[at] = value;
            at += value != 0;
        }
        codes->indptr[i + 1] = at;
    }
    return DLTF_OK;
}

dltf_status dltf_encode(const dltf_model *model, dltf_matrix X, const dltf_encoding *encoding,
                        dltf_progress_fn progress, void *context, dltf_codes **codes) {
    dltf_encoding standard = dltf_encoding_default();
    if (!encoding)
        encoding = &standard;
    dltf_status status = check_encoding(model, X, encoding);
    if (status != DLTF_OK)
        return status;
    int threads = dl_thread_count(encoding->threads);
    const dltf_model_view *parts = &model->parts;
    int64_t k = encoding->k > 0 ? encoding->k : parts->k;
    dltf_select select = encoding->select == DLTF_SELECT_MODEL ? parts->select : encoding->select;
    encoder e = {
        .model = model,
        .samples = {X, model->mean, parts->unit_norm, 1},
        .coder = {&model->packed, k, select == DLTF_SELECT_POSITIVE},
        .refit = encoding->refit,
    };
    dltf_codes *made = NULL;
    int32_t *count = NULL;
    int64_t entries = 0;
    if (!dl_multiply(X.rows, k, &entries))
        return dl_fail(DLTF_MEMORY, "%lld codes of %lld entries are too many", (long long)X.rows,
                       (long long)k);
    DL_TRY(dl_codes_alloc(X.rows, parts->m, entries, &made));
    DL_TRY_NEW(count, X.rows);
    e.slots = (dl_slots){X.rows, k, count, made->indices, made->values};
    DL_TRY(dl_workspaces_alloc(threads, parts->m, parts->n, k, &e.spaces));
    if (e.refit) {
        DL_TRY_NEW(e.refit_scratch, threads);
        for (int t = 0; t < threads; t++)
            DL_TRY_NEW(e.refit_scratch[t], dl_refit_scratch(k, parts->n));
    }
    DL_TRY(run_encoder(&e, threads, progress, context));
    DL_TRY(compress(&e, made));
    *codes = made;
    made = NULL;
done:
    for (int t = 0; e.refit_scratch && t < threads; t++)
        dl_free(e.refit_scratch[t]);
    dl_free(e.refit_scratch);
    dl_workspaces_free(e.spaces, threads);
    dltf_codes_free(made);
    dl_free(count);
    return status;
}

static dltf_status check_codes_fit(const dltf_model *model, const dltf_codes *codes) {
    if (codes->cols == model->parts.m)
        return DLTF_OK;
    return dl_fail(DLTF_DATA, "the codes have %lld columns, the model has %lld atoms", (long long)codes->cols,
                   (long long)model->parts.m);
}

/* x = sum_j z_j w_j of one sample, in double. */
static void decode_row(const dltf_model *model, const dltf_codes *codes, int64_t i, double *x) {
    int64_t n = model->parts.n;
    for (int64_t j = 0; j < n; j++)
        x[j] = 0;
    for (int64_t e = codes->indptr[i]; e < codes->indptr[i + 1]; e++) {
        const float *w = model->dictionary + codes->indices[e] * n;
        for (int64_t j = 0; j < n; j++)
            x[j] += (double)codes->values[e] * (double)w[j];
    }
}

dltf_status dltf_decode(const dltf_model *model, const dltf_codes *codes, float *X) {
    dltf_status status = check_codes_fit(model, codes);
    if (status != DLTF_OK)
        return status;
    int64_t n = model->parts.n;
    double *x = DL_NEW(double, n);
    if (!x)
        return DLTF_MEMORY;
    /* A mean that was subtracted before samples were scaled to norm 1 cannot be put back. */
    const float *mean = model->parts.unit_norm ? NULL : model->mean;
    for (int64_t i = 0; i < codes->rows; i++) {
        decode_row(model, codes, i, x);
        for (int64_t j = 0; j < n; j++) {
            X[i * n + j] = (float)(mean ? x[j] + (double)mean[j] : x[j]);
            if (!isfinite(X[i * n + j]))
                status = dl_fail(DLTF_NUMERIC, "codes: row %lld decodes to a value beyond single precision",
                                 (long long)i);
        }
    }
    dl_free(x);
    return status;
}

dltf_status dltf_reconstruction_error(const dltf_model *model, dltf_matrix X, const dltf_codes *codes,
                                      double *relative) {
    dltf_status status = check_codes_fit(model, codes);
    if (status == DLTF_OK)
        status = dl_matrix_check(X, "data");
    if (status != DLTF_OK)
        return status;
    int64_t n = model->parts.n;
    if (X.cols != n || X.rows != codes->rows)
        return dl_fail(DLTF_DATA,
                       "data: %lld x %lld samples do not go with %lld codes of a model for %lld columns",
                       (long long)X.rows, (long long)X.cols, (long long)codes->rows, (long long)n);
    dl_samples samples = {X, model->mean, model->parts.unit_norm, 1};
    double error = 0, energy = 0;
    double *x = NULL, *row = NULL;
    float *sample = NULL;
    DL_TRY(dl_matrix_check_finite(X, "data"));
    DL_TRY_NEW(x, n);
    DL_TRY_NEW(row, n);
    DL_TRY_NEW(sample, n);
    for (int64_t i = 0; i < X.rows; i++) {
        dl_samples_row(&samples, i, row, sample);
        decode_row(model, codes, i, x);
        for (int64_t j = 0; j < n; j++) {
            error += ((double)sample[j] - x[j]) * ((double)sample[j] - x[j]);
            energy += (double)sample[j] * (double)sample[j];
        }
    }
    if (!isfinite(error) || !isfinite(energy))
        status = dl_fail(DLTF_NUMERIC, "data: values beyond single precision: rescale the data");
    *relative = energy > 0 ? error / energy : error > 0 ? HUGE_VAL : 0;
done:
    dl_free(x);
    dl_free(row);
    dl_free(sample);
    return status;
}
