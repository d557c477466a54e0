/* dltf_encode, dltf_decode and the reconstruction error: whole data sets through a model, tile by tile. */
#include "base/memory.h"
#include "coding/encoder.h"
#include "coding/residual.h"
#include "data/codes.h"
#include "data/matrix.h"
#include "data/model.h"

#include <math.h>

enum { ROWS_PER_REPORT = 64 * DL_TILE };

static dltf_status run_encoder(dltf_encoder *encoder, dltf_matrix X, dl_slots out, dltf_progress_fn progress,
                               void *context) {
    for (int64_t first = 0; first < X.rows; first += ROWS_PER_REPORT) {
        int64_t left = X.rows - first, rows = left < ROWS_PER_REPORT ? left : ROWS_PER_REPORT;
        dltf_status status = dl_encoder_rows(encoder, X, first, dl_slots_from(&out, first, rows));
        if (status != DLTF_OK)
            return status;
        dltf_progress report = {"encoding", first + rows, X.rows, NULL};
        if (progress && progress(context, &report) != 0)
            return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    }
    return DLTF_OK;
}

dltf_status dltf_encode(const dltf_model *model, dltf_matrix X, const dltf_encoding *encoding,
                        dltf_progress_fn progress, void *context, dltf_codes **codes) {
    dltf_status status = DLTF_OK;
    dltf_encoder *encoder = NULL;
    dltf_codes *made = NULL;
    int32_t *count = NULL;
    int64_t k = 0, entries = 0;
    DL_TRY(dltf_encoder_new(model, encoding, &encoder));
    DL_TRY(dl_encoder_check(encoder, X));
    k = dltf_encoder_k(encoder);
    if (!dl_multiply(X.rows, k, &entries)) {
        status =
            dl_fail(DLTF_MEMORY, "%lld codes of %lld entries are too many", (long long)X.rows, (long long)k);
        goto done;
    }
    DL_TRY(dl_codes_alloc(X.rows, model->parts.m, entries, &made));
    DL_TRY_NEW(count, X.rows);
    DL_TRY(run_encoder(encoder, X, (dl_slots){X.rows, k, count, made->indices, made->values}, progress,
                       context));
    dl_codes_compress(made, count, k);
    *codes = made;
    made = NULL;
done:
    dltf_encoder_free(encoder);
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
        dl_decode_row(model, codes, i, x);
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
    dl_residual residual = {0};
    DL_TRY(dl_residual_open(&residual, model, 1, X.rows));
    DL_TRY(dl_residual_add(&residual, X, codes));
    *relative = dl_residual_relative(&residual);
done:
    dl_residual_close(&residual);
    return status;
}
