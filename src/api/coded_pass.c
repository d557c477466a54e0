/* The loop of dltf_evaluate and dltf_top_find: like that of dltf_encode_stream, without writer and ranks. */
#include "api/coded_pass.h"

#include "api/piece.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "coding/encode_options.h"
#include "coding/encoder.h"
#include "data/codes.h"
#include "data/matrix.h"
#include "data/model.h"

typedef struct pieces {
    const dl_coded_pass *pass;
    dltf_encoder *encoder;
    dl_residual *residual;
    dl_meter meter;
    int64_t max_rows, done;
    dltf_codes *codes;
    int32_t *count;
} pieces;

static int64_t total_rows(const dl_coded_pass *pass) {
    return pass->reader ? dltf_reader_rows(pass->reader) : pass->X.rows;
}

static dltf_status check_columns(const pieces *p) {
    const dl_coded_pass *pass = p->pass;
    dltf_matrix shape = pass->X;
    if (pass->reader)
        shape = dltf_matrix_f32(p->codes->values, 1, dltf_reader_cols(pass->reader));
    return dl_encoder_check(p->encoder, shape);
}

static dltf_status open_pieces(pieces *p, const dltf_encode_options *options) {
    dltf_status status = DLTF_OK;
    const dl_coded_pass *pass = p->pass;
    int64_t total = total_rows(pass);
    DL_TRY(
        dl_encoder_open(pass->model, options, total < 0 ? INT64_MAX : dl_max(total, DL_TILE), &p->encoder));
    int64_t k = dltf_encoder_k(p->encoder);
    p->max_rows = dl_encoder_unlimited(p->encoder) ? dl_encoder_batch(p->encoder)
                                                   : dl_piece_rows(pass->model->parts.n, k);
    DL_TRY(dl_codes_alloc(p->max_rows, pass->model->parts.m, p->max_rows * k, &p->codes));
    DL_TRY(check_columns(p));
    DL_TRY_NEW(p->count, p->max_rows);
    status = pass->open(pass->context, dl_thread_count(options->threads), k, p->max_rows, &p->residual);
done:
    return status;
}

static dltf_status next_piece(pieces *p, dltf_matrix *X) {
    const dl_coded_pass *pass = p->pass;
    if (pass->reader)
        return dl_piece_read(pass->reader, p->max_rows, &p->meter, p->done, X);
    *X = dl_matrix_part(pass->X, p->done, dl_min(p->max_rows, pass->X.rows - p->done));
    return DLTF_OK;
}

static dltf_status code_piece(pieces *p, dltf_matrix X) {
    int64_t k = dltf_encoder_k(p->encoder);
    dl_slots out = {X.rows, k, p->count, p->codes->indices, p->codes->values};
    dltf_status status = dl_encoder_piece(p->encoder, X, p->done, out, p->residual);
    if (status != DLTF_OK)
        return status;
    p->codes->rows = X.rows;
    dl_codes_compress(p->codes, p->count, k);
    return p->pass->add(p->pass->context, p->done, dltf_codes_csr(p->codes));
}

static dltf_status code_all(pieces *p) {
    dltf_status status = DLTF_OK;
    dltf_matrix X = {0};
    DL_TRY(next_piece(p, &X));
    while (X.rows > 0) {
        DL_TRY(code_piece(p, X));
        p->done += X.rows;
        DL_TRY(dl_piece_report(&p->meter, p->done));
        DL_TRY(next_piece(p, &X));
    }
    if (p->done == 0)
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "no rows");
done:
    return status;
}

dltf_status dl_coded_pass_run(const dl_coded_pass *pass) {
    int64_t total = total_rows(pass);
    pieces p = {.pass = pass,
                .meter = dl_meter_new("encoding", pass->progress, pass->progress_context, dl_max(total, 0))};
    dltf_encode_options options;
    dltf_status status = DL_READ_OPTIONS(encode, pass->options, &options);
    dl_meter_watch(&p.meter);
    if (status == DLTF_OK)
        status = open_pieces(&p, &options);
    if (status == DLTF_OK)
        status = code_all(&p);
    dl_meter_unwatch(&p.meter);
    dltf_encoder_free(p.encoder);
    dltf_codes_free(p.codes);
    dl_free(p.count);
    return status;
}
