/* Residual sums, tile by tile, after Chan, Golub and LeVeque (1983) for the variance. Each tile is summed by
 * one thread, then all sums are added in order. */
#include "coding/residual.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "coding/decode.h"
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
    *r = (dl_residual){0};
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
    return samples->remove_mean && !samples->unit_norm;
}

static void add_tile(void *context, int64_t tile, int worker) {
    const piece *p = context;
    int64_t n = p->samples.X.cols, first = p->from + tile * DL_TILE, left = p->end - first;
    int64_t rows = left < DL_TILE ? left : DL_TILE;
    double *row = p->r->scratch + 3 * worker * n, *x = row + n, *squares = x + n;
    double *sums = p->r->sums + tile * dl_residual_width(n);
    float *sample = p->r->sample + worker * n;
    memset(sums, 0, (size_t)dl_residual_width(n) * sizeof *sums);
    memset(squares, 0, (size_t)n * sizeof *squares);
    for (int64_t i = 0; i < rows; i++) {
        dl_samples_row(&p->samples, first + i, row, sample);
        memset(x, 0, (size_t)n * sizeof *x);
        dl_decode(x, DL_ADD, p->r->model->dictionary, n, dl_codes_code(p->codes, first + i));
        add_errors(sample, x, n, sums);
        if (varies_as_data(&p->samples))
            dl_matrix_row(p->samples.X, first + i, row);
        add_to_mean(row, n, i + 1, sums + MEAN, squares);
    }
    for (int64_t j = 0; j < n; j++)
        sums[VARIANCE] += squares[j];
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

/* The sums of the tiles of rows `from` .. end - 1 of X; `first`: the number of row 0 of X in messages. */
static dltf_status sum_tiles(dl_residual *r, dltf_matrix X, const dltf_codes *codes, int64_t from,
                             int64_t end, int64_t first) {
    piece p = {r, dl_model_samples(r->model, X), codes, from, end};
    int64_t tiles = dl_tiles(end - from, DL_TILE), width = dl_residual_width(X.cols);
    if (!dl_parallel_polled(r->threads, tiles, add_tile, &p))
        return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    /* A value that is not finite makes the energy not finite. */
    for (int64_t t = 0; t < tiles; t++)
        if (!isfinite(r->sums[t * width + ERROR]) || !isfinite(r->sums[t * width + ENERGY])) {
            dltf_status status = dl_find_not_finite(X, first, r->scratch);
            return status == DLTF_OK ? overflow() : status;
        }
    return dl_matrix_status(X);
}

dltf_status dl_residual_piece(dl_residual *r, dltf_matrix X, int64_t first, const dltf_codes *codes) {
    return sum_tiles(r, X, codes, 0, X.rows, first);
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
    double explained = r->variance > 0 && isfinite(r->variance) ? 1 - r->error / r->variance : NAN;
    return isfinite(explained) ? explained : NAN;
}
