/* Residual sums, tile by tile. Each tile is summed by one thread, then all sums are added in order. */
#include "coding/residual.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "coding/decode.h"
#include "data/codes.h"
#include "data/matrix.h"
#include "data/model.h"

#include <math.h>
#include <string.h>

dltf_status dl_residual_open(dl_residual *r, const dltf_model *model, int threads, int64_t max_rows) {
    dltf_status status = DLTF_OK;
    *r = (dl_residual){.model = model, .threads = threads};
    DL_TRY_NEW(r->scratch, 2 * threads * model->parts.n);
    DL_TRY_NEW(r->sample, threads * model->parts.n);
    DL_TRY_NEW(r->sums, dl_tiles(max_rows, DL_TILE));
done:
    if (status != DLTF_OK)
        dl_residual_close(r);
    return status;
}

void dl_residual_close(dl_residual *r) {
    dl_free(r->scratch);
    dl_free(r->sample);
    dl_free(r->sums);
    *r = (dl_residual){0};
}

typedef struct piece {
    dl_residual *r;
    dl_samples samples;
    const dltf_codes *codes;
} piece;

static void add_tile(void *context, int64_t tile, int worker) {
    const piece *p = context;
    int64_t n = p->samples.X.cols, first = tile * DL_TILE, left = p->samples.X.rows - first;
    int64_t end = first + (left < DL_TILE ? left : DL_TILE);
    double *row = p->r->scratch + 2 * worker * n, *x = row + n;
    float *sample = p->r->sample + worker * n;
    double error = 0, energy = 0;
    for (int64_t i = first; i < end; i++) {
        dl_samples_row(&p->samples, i, row, sample);
        memset(x, 0, (size_t)n * sizeof *x);
        dl_decode(x, DL_ADD, p->r->model->dictionary, n, dl_codes_code(p->codes, i));
        for (int64_t j = 0; j < n; j++) {
            error += ((double)sample[j] - x[j]) * ((double)sample[j] - x[j]);
            energy += (double)sample[j] * (double)sample[j];
        }
    }
    p->r->sums[tile][0] = error;
    p->r->sums[tile][1] = energy;
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

dltf_status dl_residual_piece(dl_residual *r, dltf_matrix X, int64_t first, const dltf_codes *codes) {
    piece p = {r, dl_model_samples(r->model, X), codes};
    int64_t tiles = dl_tiles(X.rows, DL_TILE);
    if (!dl_parallel_polled(r->threads, tiles, add_tile, &p))
        return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    /* A value that is not finite makes the energy not finite. */
    for (int64_t t = 0; t < tiles; t++)
        if (!isfinite(r->sums[t][0]) || !isfinite(r->sums[t][1])) {
            dltf_status status = dl_find_not_finite(X, first, r->scratch);
            return status == DLTF_OK ? overflow() : status;
        }
    return dl_matrix_status(X);
}

dltf_status dl_residual_join(dl_residual *r, double (*sums)[2], int64_t rows) {
    for (int64_t t = 0; t < dl_tiles(rows, DL_TILE); t++) {
        r->error += sums[t][0];
        r->energy += sums[t][1];
    }
    r->rows += rows;
    return isfinite(r->error) && isfinite(r->energy) ? DLTF_OK : overflow();
}

dltf_status dl_residual_add(dl_residual *r, dltf_matrix X, const dltf_codes *codes) {
    dltf_status status = dl_residual_piece(r, X, r->rows, codes);
    return status == DLTF_OK ? dl_residual_join(r, r->sums, X.rows) : status;
}

double dl_residual_relative(const dl_residual *r) {
    return r->energy > 0 ? r->error / r->energy : r->error > 0 ? HUGE_VAL : 0;
}
