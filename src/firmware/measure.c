/* What quantisation costs: the code of dltf_micro.c, run on this machine. */
#include "firmware/firmware.h"

#include "base/memory.h"
#include "data/model.h"
#include "dltf/measure.h"

#include <math.h>

/* Codes in arrays of N k entries. */
typedef struct table {
    int64_t *indptr;
    int32_t *index;
    float *value;
    int64_t count;
} table;

/* Work space for one sample, and the codes of all. */
typedef struct trial {
    const dl_firmware *firmware;
    int64_t n, k;
    float *x;
    int16_t *x16;
    int8_t *x8;
    uint64_t *work;
    float *sample;
    uint16_t *index;
    int32_t *fixed;
    float *value, *refit_work;
    table raw, refit;
} trial;

static dltf_status table_alloc(table *t, int64_t rows, int64_t k) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(t->indptr, rows + 1);
    DL_TRY_NEW(t->index, rows * k);
    DL_TRY_NEW(t->value, rows * k);
done:
    return status;
}

static void table_free(table *t) {
    dl_free(t->indptr);
    dl_free(t->index);
    dl_free(t->value);
}

static void table_add(table *t, int64_t row, int count, const uint16_t *index, const float *value) {
    for (int p = 0; p < count; p++)
        if (value[p] != 0 && isfinite(value[p])) {
            t->index[t->count] = index[p];
            t->value[t->count++] = value[p];
        }
    t->indptr[row + 1] = t->count;
}

static dltf_status table_codes(const table *t, int64_t rows, int64_t m, dltf_codes **codes) {
    return dltf_codes_new(
        (dltf_csr){.rows = rows, .cols = m, .indptr = t->indptr, .indices = t->index, .values = t->value},
        codes);
}

static dltf_status trial_alloc(trial *t, int64_t rows) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(t->x, t->n);
    DL_TRY_NEW(t->x16, t->n);
    DL_TRY_NEW(t->x8, t->n);
    DL_TRY_NEW(t->work, DLTF_MICRO_WORK(t->n, t->k));
    DL_TRY_NEW(t->sample, t->n);
    DL_TRY_NEW(t->index, t->k);
    DL_TRY_NEW(t->fixed, t->k);
    DL_TRY_NEW(t->value, t->k);
    DL_TRY_NEW(t->refit_work, DLTF_MICRO_WORK_REFIT(t->k));
    DL_TRY(table_alloc(&t->raw, rows, t->k));
    DL_TRY(table_alloc(&t->refit, rows, t->k));
done:
    return status;
}

static void trial_free(trial *t) {
    void *arrays[] = {t->x, t->x16, t->x8, t->work, t->sample, t->index, t->fixed, t->value, t->refit_work};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dl_free(arrays[i]);
    table_free(&t->raw);
    table_free(&t->refit);
}

/* The sample as firmware gets it. */
static const void *given(trial *t) {
    const dl_firmware *f = t->firmware;
    bool real = f->options.bits == DL_FIRMWARE_32;
    if (real && f->real.input == DLTF_MICRO_F32)
        return t->x;
    dltf_micro_quantise(t->x, (uint16_t)t->n, real ? f->real.input_scale : f->fixed.input_scale, t->x16);
    if (f->fixed.input_bits == 16)
        return t->x16;
    for (int64_t j = 0; j < t->n; j++)
        t->x8[j] = (int8_t)(t->x16[j] > 127 ? 127 : t->x16[j] < -127 ? -127 : t->x16[j]);
    return t->x8;
}

static void code_real(trial *t, int64_t row) {
    const dltf_micro_model_f32 *model = &t->firmware->real;
    uint8_t count = dltf_micro_encode_f32(model, given(t), t->work, t->sample, t->index, t->value);
    table_add(&t->raw, row, count, t->index, t->value);
    if (model->dictionary && t->k <= DLTF_MICRO_MAX_REFIT) {
        dltf_micro_refit_f32(model, t->sample, count, t->index, t->value, t->refit_work);
        table_add(&t->refit, row, count, t->index, t->value);
    }
}

static void code_fixed(trial *t, int64_t row) {
    const dltf_micro_model *model = &t->firmware->fixed;
    const void *x = given(t);
    dltf_micro_code code = dltf_micro_encode(model, x, t->work, t->index, t->fixed);
    for (int p = 0; p < code.count; p++)
        t->value[p] = (float)ldexp((double)t->fixed[p] * (double)model->value_scale, code.exponent);
    table_add(&t->raw, row, code.count, t->index, t->value);
    if (model->dictionary.words && t->k <= DLTF_MICRO_MAX_REFIT) {
        dltf_micro_refit(model, x, code.count, t->index, t->value, t->refit_work);
        table_add(&t->refit, row, code.count, t->index, t->value);
    }
}

/* Errors of codes, raw and with least-squares values: those of firmware if it can refit, else the library's.
 */
static dltf_status errors(const dltf_model *model, dltf_matrix X, const dltf_codes *raw,
                          const dltf_codes *refit, double *error, double *refit_error) {
    dltf_codes *own = NULL;
    dltf_status status = dltf_reconstruction_error(model, X, raw, error);
    if (status == DLTF_OK && !refit)
        status = dltf_refit(model, X, raw, 0, &own);
    if (status == DLTF_OK)
        status = dltf_reconstruction_error(model, X, refit ? refit : own, refit_error);
    dltf_codes_free(own);
    return status;
}

dltf_status dl_firmware_measure(const dl_firmware *firmware, const dltf_model *model, dltf_matrix X,
                                dl_firmware_cost *cost) {
    trial t = {.firmware = firmware, .n = firmware->fixed.n, .k = firmware->fixed.k};
    dltf_codes *exact = NULL, *raw = NULL, *refit = NULL;
    dltf_support_score score;
    bool real = firmware->options.bits == DL_FIRMWARE_32;
    dltf_status status = DLTF_OK;
    DL_TRY(dltf_encode(model, X, NULL, NULL, NULL, &exact)); /* checks the samples, too */
    DL_TRY(trial_alloc(&t, X.rows));
    for (int64_t i = 0; i < X.rows; i++) {
        dltf_matrix_row(X, i, t.x);
        (real ? code_real : code_fixed)(&t, i);
    }
    DL_TRY(table_codes(&t.raw, X.rows, model->parts.m, &raw));
    if (t.refit.count > 0)
        DL_TRY(table_codes(&t.refit, X.rows, model->parts.m, &refit));
    DL_TRY(dltf_supports_score(raw, exact, NULL, &score));
    cost->samples = X.rows;
    cost->wrong_atoms = score.ave_dif;
    DL_TRY(errors(model, X, exact, NULL, &cost->error_float, &cost->refit_float));
    DL_TRY(errors(model, X, raw, refit, &cost->error, &cost->refit));
done:
    dltf_codes_free(exact);
    dltf_codes_free(raw);
    dltf_codes_free(refit);
    trial_free(&t);
    return status;
}
