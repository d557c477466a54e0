/* Residual sums, tile by tile, after Chan, Golub and LeVeque (1983) for the variance. Each tile is summed by
 * one thread, then all sums are added in order. */
#include "coding/residual.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "data/codes.h"
#include "data/matrix.h"
#include "data/model.h"

#include <math.h>
#include <string.h>

enum { ERROR, ENERGY, VARIANCE, MEAN /* n numbers */ };

int64_t dl_residual_width(int64_t n) {
    return MEAN + n;
}

dltf_status dl_residual_open(dl_residual *r, const dltf_model *model, int threads, int64_t max_rows) {
    dltf_status status = DLTF_OK;
    int64_t n = model->parts.n;
    *r = (dl_residual){.model = model, .threads = threads, .room = max_rows};
    DL_TRY_NEW(r->mean, n);
    DL_TRY_NEW(r->scratch, 3 * threads * n);
    DL_TRY_NEW(r->sample, threads * n);
    DL_TRY_NEW(r->sums, dl_tiles(max_rows, DL_TILE) * dl_residual_width(n));
done:
    if (status != DLTF_OK)
        dl_residual_close(r);
    return status;
}

void dl_residual_close(dl_residual *r) {
    dl_free(r->mean);
    dl_free(r->scratch);
    dl_free(r->sample);
    dl_free(r->sums);
    dl_free(r->targets);
    *r = (dl_residual){0};
}

dltf_status dl_residual_watch(dl_residual *r, void (*watch)(void *context, const dl_coded *sample),
                              void *context) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(r->targets, r->threads * DL_TILE * r->model->parts.n);
    r->watch = watch;
    r->context = context;
done:
    return status;
}

typedef struct piece {
    dl_residual *r;
    dl_samples samples;
    const dltf_codes *codes;
    int64_t from, end; /* rows */
} piece;

static void add_errors(const float *sample, const double *x, int64_t n, double *sums) {
    double error = sums[ERROR], energy = sums[ENERGY];
    for (int64_t j = 0; j < n; j++) {
        error += ((double)sample[j] - x[j]) * ((double)sample[j] - x[j]);
        energy += (double)sample[j] * (double)sample[j];
    }
    sums[ERROR] = error;
    sums[ENERGY] = energy;
}

/* Welford: equal samples give exactly zero, however large they are. */
static void add_to_mean(const double *row, int64_t n, int64_t count, double *mean, double *squares) {
    double share = 1 / (double)count;
    for (int64_t j = 0; j < n; j++) {
        double off = row[j] - mean[j];
        mean[j] += off * share;
        squares[j] += off * (row[j] - mean[j]);
    }
}

/* Reconstructions lack the own mean of a sample if the model subtracts it. Their error is the same with it,
 * and so is compared with the variance of the data. The mean of all samples does not change the variance. */
static bool varies_as_data(const dl_samples *samples) {
    return samples->remove_mean && !dl_samples_rescaled(samples) && !samples->deviation;
}

static double *sums_of(const dl_residual *r, int64_t tile) {
    return r->sums + tile * dl_residual_width(r->model->parts.n);
}

/* The scratch of a worker: a row, then a reconstruction, then squares. */
static double *row_of(const dl_residual *r, int worker) {
    return r->scratch + 3 * worker * r->model->parts.n;
}

static double *squares_of(const dl_residual *r, int worker) {
    return row_of(r, worker) + 2 * r->model->parts.n;
}

void dl_residual_begin(dl_residual *r, int64_t tile, int worker) {
    int64_t n = r->model->parts.n;
    memset(sums_of(r, tile), 0, (size_t)dl_residual_width(n) * sizeof(double));
    memset(squares_of(r, worker), 0, (size_t)n * sizeof(double));
}

static float *target_of(const dl_residual *r, int worker, int64_t number) {
    return r->targets + (worker * DL_TILE + number) * r->model->parts.n;
}

/* `row`: as it is in the data or, if it is scaled, as preprocessed. */
static void keep_target(const dl_samples *samples, const double *row, float *target) {
    const float *offset = samples->unit_norm ? samples->offset : NULL;
    for (int64_t j = 0; j < samples->X.cols; j++)
        target[j] = (float)(row[j] + (offset ? (double)offset[j] : 0));
}

void dl_residual_load(dl_residual *r, const dl_samples *samples, int64_t tile, int worker, int64_t i,
                      int64_t number, float *out) {
    int64_t n = samples->X.cols;
    double *row = row_of(r, worker), *mean = sums_of(r, tile) + MEAN, *squares = squares_of(r, worker);
    dl_matrix_row(samples->X, i, row);
    if (varies_as_data(samples))
        add_to_mean(row, n, number + 1, mean, squares);
    if (r->watch && !samples->unit_norm)
        keep_target(samples, row, target_of(r, worker, number));
    dl_samples_preprocess(samples, row, out);
    if (r->watch && samples->unit_norm)
        keep_target(samples, row, target_of(r, worker, number));
    if (!varies_as_data(samples))
        add_to_mean(row, n, number + 1, mean, squares);
}

const double *dl_residual_decode(dl_residual *r, int worker, dl_code code) {
    int64_t n = r->model->parts.n;
    double *x = row_of(r, worker) + n;
    memset(x, 0, (size_t)n * sizeof *x);
    dl_decode_scaled(x, DL_ADD, r->model->dictionary, r->model->scale, n, code);
    return x;
}

void dl_residual_code(dl_residual *r, int64_t tile, int worker, int64_t number, const float *sample,
                      dl_code code) {
    const double *x = dl_residual_decode(r, worker, code);
    add_errors(sample, x, r->model->parts.n, sums_of(r, tile));
    if (r->watch)
        r->watch(r->context,
                 &(dl_coded){tile, number, worker, sample, target_of(r, worker, number), x, code});
}

void dl_residual_given(dl_residual *r, int64_t tile, const float *sample, const double *x) {
    add_errors(sample, x, r->model->parts.n, sums_of(r, tile));
}

void dl_residual_end(dl_residual *r, int64_t tile, int worker) {
    const double *squares = squares_of(r, worker);
    double *sums = sums_of(r, tile);
    for (int64_t j = 0; j < r->model->parts.n; j++)
        sums[VARIANCE] += squares[j];
}

static void add_tile(void *context, int64_t tile, int worker) {
    const piece *p = context;
    int64_t n = p->samples.X.cols, first = p->from + tile * DL_TILE, left = p->end - first;
    float *sample = p->r->sample + worker * n;
    dl_residual_begin(p->r, tile, worker);
    for (int64_t i = 0; i < left && i < DL_TILE; i++) {
        dl_residual_load(p->r, &p->samples, tile, worker, first + i, i, sample);
        dl_residual_code(p->r, tile, worker, i, sample, dl_codes_code(p->codes, first + i));
    }
    dl_residual_end(p->r, tile, worker);
}

dltf_status dl_find_not_finite(dltf_matrix X, int64_t first, double *row) {
    dltf_status status = DLTF_OK;
    for (int64_t i = 0; i < X.rows && status == DLTF_OK; i++) {
        dl_matrix_row(X, i, row);
        status = dl_row_check_finite(row, X.cols, first + i, DLTF_SUBJECT_DATA);
    }
    return status;
}

static dltf_status overflow(void) {
    return dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                         "values overflow single precision: rescale the data");
}

/* A value that is not finite makes the energy not finite. */
static dltf_status check_tiles(dl_residual *r, dltf_matrix X, int64_t tiles, int64_t first) {
    for (int64_t t = 0; t < tiles; t++) {
        const double *sums = sums_of(r, t);
        if (!isfinite(sums[ERROR]) || !isfinite(sums[ENERGY])) {
            dltf_status status = dl_find_not_finite(X, first, r->scratch);
            return status == DLTF_OK ? overflow() : status;
        }
    }
    return dl_matrix_status(X);
}

dltf_status dl_residual_check(dl_residual *r, dltf_matrix X, int64_t first) {
    return check_tiles(r, X, dl_tiles(X.rows, DL_TILE), first);
}

/* The sums of the tiles of rows `from` .. end - 1 of X; `first`: the number of row 0 of X in messages. */
static dltf_status sum_tiles(dl_residual *r, dltf_matrix X, const dltf_codes *codes, int64_t from,
                             int64_t end, int64_t first) {
    piece p = {r, dl_model_samples(r->model, X), codes, from, end};
    int64_t tiles = dl_tiles(end - from, DL_TILE);
    if (!dl_parallel_polled(r->threads, tiles, add_tile, &p))
        return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    return check_tiles(r, X, tiles, first);
}

/* Adds the variance of a tile, and that between its mean and the mean so far. */
static void join_tile(dl_residual *r, const double *sums, int64_t rows) {
    int64_t n = r->model->parts.n;
    double share = (double)rows / (double)(r->rows + rows), between = 0;
    for (int64_t j = 0; j < n; j++) {
        double off = sums[MEAN + j] - r->mean[j];
        r->mean[j] += off * share;
        between += off * off;
    }
    r->variance += sums[VARIANCE] + between * share * (double)r->rows;
    r->error += sums[ERROR];
    r->energy += sums[ENERGY];
    r->rows += rows;
}

dltf_status dl_residual_join(dl_residual *r, const double *sums, int64_t rows) {
    for (int64_t first = 0; first < rows; first += DL_TILE) {
        join_tile(r, sums, rows - first < DL_TILE ? rows - first : DL_TILE);
        sums += dl_residual_width(r->model->parts.n);
    }
    return isfinite(r->error) && isfinite(r->energy) ? DLTF_OK : overflow();
}

dltf_status dl_residual_add(dl_residual *r, dltf_matrix X, const dltf_codes *codes) {
    dltf_status status = DLTF_OK;
    int64_t first = r->rows;
    for (int64_t from = 0; from < X.rows && status == DLTF_OK; from += r->room) {
        int64_t end = X.rows - from < r->room ? X.rows : from + r->room;
        status = sum_tiles(r, X, codes, from, end, first);
        if (status == DLTF_OK)
            status = dl_residual_join(r, r->sums, end - from);
    }
    return status;
}

double dl_residual_relative(const dl_residual *r) {
    return r->energy > 0 ? r->error / r->energy : r->error > 0 ? HUGE_VAL : 0;
}

double dl_residual_explained(const dl_residual *r) {
    dl_samples samples = dl_model_samples(r->model, (dltf_matrix){0});
    double factor = varies_as_data(&samples) ? dl_samples_factor(&samples) : 1; /* of error, not of data */
    double variance = r->variance * factor * factor;
    double explained = variance > 0 && isfinite(variance) ? 1 - r->error / variance : NAN;
    return isfinite(explained) ? explained : NAN;
}
