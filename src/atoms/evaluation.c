/* A tile is summed by one thread; the sums of tiles are added in order. */
#include "atoms/evaluation.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "coding/least_squares.h"
#include "data/model.h"

#include <math.h>
#include <string.h>

/* Sums over samples. RAW and FITTED: squared errors of a tile that is refitted. */
enum {
    NONZERO,
    PAIRS,
    COSINES,
    RATIOS,
    NORMS_IN,
    NORMS_OUT,
    SQUARES_OUT,
    PRODUCTS,
    ENTRIES,
    MAGNITUDES,
    RAW,
    FITTED,
    SUMS
};

static double squared_distance(const float *x, const double *y, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += ((double)x[j] - y[j]) * ((double)x[j] - y[j]);
    return sum;
}

/* x: the sample as preprocessed, y: Wz, target: the sample that the reconstruction is compared with. */
static void add_norms(const float *target, const float *x, const double *y, int64_t n, double *sums) {
    double in = 0, out = 0, product = 0;
    for (int64_t j = 0; j < n; j++) {
        double t = (double)target[j], r = t - ((double)x[j] - y[j]);
        in += t * t;
        out += r * r;
        product += t * r;
    }
    sums[SQUARES_OUT] += out;
    sums[PRODUCTS] += product;
    in = sqrt(in);
    out = sqrt(out);
    sums[NORMS_IN] += in;
    sums[NORMS_OUT] += out;
    if (in > 0) {
        sums[NONZERO]++;
        sums[RATIOS] += out / in;
    }
    if (in > 0 && out > 0) {
        sums[PAIRS]++;
        sums[COSINES] += product / in / out;
    }
}

static void add_entries(dl_code code, double *sums) {
    for (int64_t p = 0; p < code.count; p++) {
        sums[ENTRIES] += code.value[p] != 0;
        sums[MAGNITUDES] += fabs((double)code.value[p]);
    }
}

static void add_refit(dl_evaluation *e, int worker, const float *x, const double *y, dl_code code,
                      double *sums) {
    int64_t n = e->model->parts.n;
    float *values = e->values + worker * dl_apart(e->k);
    int32_t count = (int32_t)code.count;
    memcpy(values, code.value, (size_t)code.count * sizeof *values);
    sums[RAW] += squared_distance(x, y, n);
    dl_slots slots = {1, e->k, &count, (int32_t *)code.index, values}; /* the support is only read */
    dl_refit_tile(e->model->dictionary, n, x, n, 1, slots,
                  e->scratch + worker * dl_apart(dl_refit_scratch(e->k, n)));
    y = dl_residual_decode(&e->residual, worker, (dl_code){code.count, code.index, values});
    sums[FITTED] += squared_distance(x, y, n);
}

static float relative_error(const dl_evaluation *e, const dl_coded *sample) {
    int64_t n = e->model->parts.n;
    double energy = 0, error = squared_distance(sample->x, sample->decoded, n);
    for (int64_t j = 0; j < n; j++)
        energy += (double)sample->x[j] * (double)sample->x[j];
    return energy > 0 ? (float)(error / energy) : 0;
}

static void add_sample(void *context, const dl_coded *sample) {
    dl_evaluation *e = context;
    double *sums = e->sums + sample->tile * SUMS;
    if (sample->number == 0)
        memset(sums, 0, SUMS * sizeof *sums);
    add_norms(sample->target, sample->x, sample->decoded, e->model->parts.n, sums);
    add_entries(sample->code, sums);
    if (e->errors)
        e->errors[sample->tile * DL_TILE + sample->number] = relative_error(e, sample);
    if ((e->tiles + sample->tile) % e->refits.stride == 0)
        add_refit(e, sample->worker, sample->x, sample->decoded, sample->code, sums);
}

dltf_status dl_evaluation_open(dl_evaluation *e, const dltf_model *model, int threads, int64_t k,
                               int64_t max_rows) {
    dltf_status status = DLTF_OK;
    *e = (dl_evaluation){.model = model, .k = k, .refits.stride = 1};
    DL_TRY(dl_residual_open(&e->residual, model, threads, max_rows));
    DL_TRY(dl_residual_watch(&e->residual, add_sample, e));
    DL_TRY_NEW(e->sums, dl_tiles(max_rows, DL_TILE) * SUMS);
    DL_TRY_NEW(e->scratch, threads * dl_apart(dl_refit_scratch(k, model->parts.n)));
    DL_TRY_NEW(e->values, threads * dl_apart(k));
    DL_TRY_NEW(e->totals, SUMS);
done:
    if (status != DLTF_OK)
        dl_evaluation_close(e);
    return status;
}

void dl_evaluation_close(dl_evaluation *e) {
    dl_residual_close(&e->residual);
    dl_free(e->sums);
    dl_free(e->scratch);
    dl_free(e->values);
    dl_free(e->totals);
    *e = (dl_evaluation){0};
}

static void thin_out(dl_refits *r) {
    for (int64_t i = 0; 2 * i < r->count; i++) {
        r->raw[i] = r->raw[2 * i];
        r->fitted[i] = r->fitted[2 * i];
        r->rows[i] = r->rows[2 * i];
    }
    r->count = (r->count + 1) / 2;
    r->stride *= 2;
}

/* Tiles of a piece were refitted by the stride at its start, which may have grown since. */
static void join_refit(dl_refits *r, int64_t tile, const double *sums, int64_t rows) {
    if (r->count == DL_REFIT_TILES)
        thin_out(r);
    if (tile % r->stride > 0)
        return;
    r->raw[r->count] = sums[RAW];
    r->fitted[r->count] = sums[FITTED];
    r->rows[r->count++] = rows;
}

dltf_status dl_evaluation_join(dl_evaluation *e, int64_t rows) {
    const double *sums = e->sums;
    int64_t stride = e->refits.stride;
    for (int64_t first = 0; first < rows; first += DL_TILE, sums += SUMS, e->tiles++) {
        for (int i = 0; i < SUMS; i++)
            e->totals[i] += sums[i];
        if (e->tiles % stride == 0)
            join_refit(&e->refits, e->tiles, sums, rows - first < DL_TILE ? rows - first : DL_TILE);
    }
    return dl_residual_join(&e->residual, e->residual.sums, rows);
}

static double ratio(double a, double b) {
    return b > 0 || b < 0 ? a / b : NAN;
}

/* What refitting makes of an error, as a factor. */
static double refit_factor(const dl_refits *r, int64_t *rows) {
    double raw = 0, fitted = 0;
    *rows = 0;
    for (int64_t i = 0; i < r->count; i++) {
        raw += r->raw[i];
        fitted += r->fitted[i];
        *rows += r->rows[i];
    }
    return raw > 0 ? fitted / raw : 1;
}

dltf_evaluation dl_evaluation_result(const dl_evaluation *e) {
    const double *t = e->totals;
    int64_t refitted;
    double all = (double)e->residual.rows, factor = refit_factor(&e->refits, &refitted);
    double explained = dl_residual_explained(&e->residual), error = dl_residual_relative(&e->residual);
    return (dltf_evaluation){
        .samples = e->residual.rows,
        .explained_variance = explained,
        .relative_error = error,
        .refit_explained_variance = 1 - (1 - explained) * factor,
        .refit_relative_error = error * factor,
        .refit_samples = refitted,
        .l0 = ratio(t[ENTRIES], all),
        .l1 = ratio(t[MAGNITUDES], all),
        .mse = ratio(e->residual.error, all),
        .cossim = ratio(t[COSINES], t[PAIRS]),
        .l2_norm_in = ratio(t[NORMS_IN], all),
        .l2_norm_out = ratio(t[NORMS_OUT], all),
        .l2_ratio = ratio(t[RATIOS], t[NONZERO]),
        .relative_reconstruction_bias = ratio(t[SQUARES_OUT], t[PRODUCTS]),
    };
}
