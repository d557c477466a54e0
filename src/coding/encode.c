/* dltf_encode, dltf_refit, dltf_decode and the reconstruction error, for whole data sets, tile by tile. */
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "coding/decode.h"
#include "coding/encoder.h"
#include "coding/residual.h"
#include "data/codes.h"
#include "data/matrix.h"
#include "data/model.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_REPORT = 64 * DL_TILE };

static dltf_status run_encoder(dltf_encoder *encoder, dltf_matrix X, dl_slots out, dl_meter *meter) {
    for (int64_t first = 0; first < X.rows; first += ROWS_PER_REPORT) {
        int64_t left = X.rows - first, rows = left < ROWS_PER_REPORT ? left : ROWS_PER_REPORT;
        dltf_status status = dl_encoder_rows(encoder, X, first, 0, dl_slots_from(&out, first, rows));
        if (status != DLTF_OK)
            return status;
        if (!dl_meter_add(meter, rows))
            return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    }
    return DLTF_OK;
}

/* Codes that grow: of models with thresholds, whose codes have up to m entries, but few as a rule. */
typedef struct growing {
    dltf_codes *codes;
    int64_t room; /* entries */
} growing;

static dltf_status make_room(growing *g, int64_t used, int64_t needed) {
    dltf_codes *codes = g->codes;
    int64_t room = needed + needed / 2;
    if (needed <= g->room)
        return DLTF_OK;
    int32_t *indices = dl_grow(codes->indices, used, room, sizeof *indices);
    codes->indices = indices ? indices : codes->indices;
    float *values = indices ? dl_grow(codes->values, used, room, sizeof *values) : NULL;
    if (!values)
        return DLTF_MEMORY;
    codes->values = values;
    g->room = room;
    return DLTF_OK;
}

/* Adds the codes of rows from `first` on, without entries that a refit has made zero. */
static dltf_status append(growing *g, int64_t first, dl_slots from) {
    int64_t at = g->codes->indptr[first], most = at;
    for (int64_t i = 0; i < from.rows; i++)
        most += from.count[i];
    dltf_status status = make_room(g, at, most);
    if (status != DLTF_OK)
        return status;
    for (int64_t i = 0; i < from.rows; i++) {
        dl_code code = dl_slots_code(&from, i);
        for (int64_t e = 0; e < code.count; e++) {
            g->codes->indices[at] = code.index[e];
            g->codes->values[at] = code.value[e];
            at += code.value[e] != 0;
        }
        g->codes->indptr[first + i + 1] = at;
    }
    return DLTF_OK;
}

/* In batches whose codes need not be short. */
static dltf_status encode_growing(dltf_encoder *encoder, dltf_matrix X, int64_t m, dl_meter *meter,
                                  dltf_codes **codes) {
    dltf_status status = DLTF_OK;
    int64_t most = dl_encoder_batch(encoder), rows = X.rows < most ? X.rows : most;
    growing g = {0};
    dl_slots slots = {0};
    DL_TRY(dl_slots_alloc(&slots, rows, m));
    DL_TRY(dl_codes_alloc(X.rows, m, 0, &g.codes));
    for (int64_t first = 0; first < X.rows; first += rows) {
        dl_slots some = dl_slots_from(&slots, 0, X.rows - first < rows ? X.rows - first : rows);
        DL_TRY(dl_encoder_rows(encoder, X, first, 0, some));
        DL_TRY(append(&g, first, some));
        if (!dl_meter_add(meter, some.rows))
            DL_TRY(dl_fail(DLTF_CANCELLED, "encoding was cancelled"));
    }
    *codes = g.codes;
    g.codes = NULL;
done:
    dltf_codes_free(g.codes);
    dl_slots_free(&slots);
    return status;
}

static dltf_status encode_fixed(dltf_encoder *encoder, dltf_matrix X, int64_t m, dl_meter *meter,
                                dltf_codes **codes) {
    dltf_status status = DLTF_OK;
    dltf_codes *made = NULL;
    int32_t *count = NULL;
    int64_t k = dltf_encoder_k(encoder), entries = 0;
    if (!dl_multiply(X.rows, k, &entries))
        return dl_fail(DLTF_MEMORY, "%lld codes of %lld entries are too large", (long long)X.rows,
                       (long long)k);
    DL_TRY(dl_codes_alloc(X.rows, m, entries, &made));
    DL_TRY_NEW(count, X.rows);
    DL_TRY(run_encoder(encoder, X, (dl_slots){X.rows, k, count, made->indices, made->values}, meter));
    dl_codes_compress(made, count, k);
    *codes = made;
    made = NULL;
done:
    dltf_codes_free(made);
    dl_free(count);
    return status;
}

dltf_status dltf_encode(const dltf_model *model, dltf_matrix X, const dltf_encode_options *options,
                        dltf_progress_fn progress, void *context, dltf_codes **codes) {
    DL_CLEAR(codes);
    DL_REQUIRE(model, codes);
    dltf_status status = DLTF_OK;
    dltf_encoder *encoder = NULL;
    dl_meter meter = dl_meter_new("encoding", progress, context, X.rows);
    dl_meter_watch(&meter);
    DL_TRY(dl_encoder_open(model, options, X.rows, &encoder));
    DL_TRY(dl_encoder_check(encoder, X));
    status = (dl_encoder_unlimited(encoder) ? encode_growing : encode_fixed)(encoder, X, model->parts.m,
                                                                             &meter, codes);
done:
    dl_meter_unwatch(&meter);
    dltf_encoder_free(encoder);
    return status;
}

static dltf_status check_codes_fit(const dltf_model *model, const dltf_codes *codes) {
    if (codes->cols == model->parts.m)
        return DLTF_OK;
    return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_CODES, "%lld columns, but the model has %lld atoms",
                         (long long)codes->cols, (long long)model->parts.m);
}

/* The same, and that the samples match the codes. */
static dltf_status check_pair(const dltf_model *model, dltf_matrix X, const dltf_codes *codes) {
    dltf_status status = check_codes_fit(model, codes);
    if (status == DLTF_OK)
        status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK && (X.cols != model->parts.n || X.rows != codes->rows))
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA,
                               "%lld x %lld samples, but the codes and the model expect %lld x %lld",
                               (long long)X.rows, (long long)X.cols, (long long)codes->rows,
                               (long long)model->parts.n);
    return status;
}

/* ---- Refitting given supports ---- */

typedef struct refit_job {
    const dltf_model *model;
    dl_samples samples;
    dltf_codes *codes;
    int64_t room;  /* doubles that one worker needs */
    double *rows;  /* of n, one for each worker */
    float *sample; /* the same */
    double *scratch;
} refit_job;

static void refit_rows(void *context, int64_t tile, int worker) {
    const refit_job *job = context;
    dltf_codes *codes = job->codes;
    int64_t n = job->model->parts.n,
            last = (tile + 1) * DL_TILE < codes->rows ? (tile + 1) * DL_TILE : codes->rows;
    float *x = job->sample + worker * n;
    for (int64_t i = tile * DL_TILE; i < last; i++) {
        int32_t count = (int32_t)(codes->indptr[i + 1] - codes->indptr[i]);
        dl_samples_row(&job->samples, i, job->rows + worker * n, x);
        dl_slots row = {1, count, &count, codes->indices + codes->indptr[i],
                        codes->values + codes->indptr[i]};
        dl_refit_tile(job->model->dictionary, n, x, n, 1, row, job->scratch + worker * job->room);
        dl_unscale_tile(job->model->scale, row);
    }
}

/* Fails if a value is not finite. */
static dltf_status drop_zeros(dltf_codes *codes) {
    int64_t at = 0, first = 0;
    for (int64_t i = 0; i < codes->rows; i++) {
        int64_t last = codes->indptr[i + 1];
        for (int64_t s = first; s < last; s++) {
            if (!isfinite(codes->values[s]))
                return dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                                     "row %lld: its coefficients overflow single precision: rescale the data",
                                     (long long)i);
            codes->indices[at] = codes->indices[s];
            codes->values[at] = codes->values[s];
            at += codes->values[s] != 0;
        }
        first = last;
        codes->indptr[i + 1] = at;
    }
    return DLTF_OK;
}

dltf_status dltf_refit(const dltf_model *model, dltf_matrix X, const dltf_codes *supports, int64_t threads,
                       dltf_codes **codes) {
    DL_CLEAR(codes);
    DL_REQUIRE(model, supports, codes);
    DL_REQUIRE_THREADS(threads);
    dltf_status status = check_pair(model, X, supports);
    if (status != DLTF_OK)
        return status;
    int workers = dl_thread_count(threads);
    int64_t n = model->parts.n, longest = 0;
    for (int64_t i = 0; i < X.rows; i++) {
        int64_t count = supports->indptr[i + 1] - supports->indptr[i];
        longest = count > longest ? count : longest;
    }
    refit_job job = {
        .model = model, .samples = dl_model_samples(model, X), .room = dl_refit_scratch(longest, n)};
    dltf_codes *made = NULL;
    DL_TRY(dl_matrix_check_finite(X, DLTF_SUBJECT_DATA));
    DL_TRY(dltf_codes_new(dltf_codes_csr(supports), &made));
    DL_TRY_NEW(job.rows, workers * n);
    DL_TRY_NEW(job.sample, workers * n);
    DL_TRY_NEW(job.scratch, workers * job.room);
    job.codes = made;
    if (!dl_parallel_polled(workers, dl_tiles(X.rows, DL_TILE), refit_rows, &job))
        DL_TRY(dl_fail(DLTF_CANCELLED, "the refit was cancelled"));
    DL_TRY(dl_matrix_status(X));
    DL_TRY(drop_zeros(made));
    *codes = made;
    made = NULL;
done:
    dltf_codes_free(made);
    dl_free(job.rows);
    dl_free(job.sample);
    dl_free(job.scratch);
    return status;
}

/* ---- Decoding ---- */

dltf_status dltf_decode(const dltf_model *model, const dltf_codes *codes, float *X) {
    DL_REQUIRE(model, codes, X);
    dltf_status status = check_codes_fit(model, codes);
    if (status != DLTF_OK)
        return status;
    int64_t n = model->parts.n;
    double *x = DL_NEW(double, n);
    if (!x)
        return DLTF_MEMORY;
    /* What was done before samples were scaled, each by its own number, cannot be undone. */
    dl_samples samples = dl_model_samples(model, (dltf_matrix){0});
    const float *mean = dl_samples_rescaled(&samples) ? NULL : model->mean;
    const float *deviation = dl_samples_rescaled(&samples) ? NULL : model->deviation;
    double factor = dl_samples_factor(&samples);
    for (int64_t i = 0; i < codes->rows; i++) {
        memset(x, 0, (size_t)n * sizeof *x);
        dl_decode_scaled(x, DL_ADD, model->dictionary, model->scale, n, dl_codes_code(codes, i));
        for (int64_t j = 0; j < n; j++) {
            if (model->offset)
                x[j] += (double)model->offset[j];
            x[j] /= factor;
            if (deviation)
                x[j] *= (double)deviation[j];
            if (mean)
                x[j] += (double)mean[j];
            X[i * n + j] = (float)x[j];
            if (!isfinite(X[i * n + j]))
                status = dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_CODES,
                                       "row %lld decodes to a value that overflows single precision",
                                       (long long)i);
        }
    }
    dl_free(x);
    return status;
}

dltf_status dltf_reconstruction_measure_sized(const dltf_model *model, dltf_matrix X, const dltf_codes *codes,
                                              int64_t threads, dltf_reconstruction *found, size_t size) {
    DL_REQUIRE(model, codes, found);
    DL_REQUIRE_THREADS(threads);
    dltf_status status = check_pair(model, X, codes);
    if (status != DLTF_OK)
        return status;
    int64_t room = X.rows < ROWS_PER_REPORT ? X.rows : ROWS_PER_REPORT;
    dl_residual residual = {0};
    DL_TRY(dl_residual_open(&residual, model, dl_thread_count(threads), room));
    DL_TRY(dl_residual_add(&residual, X, codes));
    dltf_reconstruction own = {.relative_error = dl_residual_relative(&residual),
                               .explained_variance = dl_residual_explained(&residual),
                               .entries = (double)codes->indptr[codes->rows] / (double)codes->rows};
    DL_WRITE_STRUCT(dltf_reconstruction, found, size, &own);
done:
    dl_residual_close(&residual);
    return status;
}

dltf_status dltf_reconstruction_error(const dltf_model *model, dltf_matrix X, const dltf_codes *codes,
                                      double *relative) {
    DL_REQUIRE(model, codes, relative);
    dltf_reconstruction found;
    dltf_status status = dltf_reconstruction_measure(model, X, codes, 1, &found);
    if (status == DLTF_OK)
        *relative = found.relative_error;
    return status;
}
