/* dltf_encode_stream: connects coding, which does no I/O, to readers and writers, which know no models. Rows
 * are read, coded and written piece by piece; a piece is a few tiles. */
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/encoder.h"
#include "coding/residual.h"
#include "data/codes.h"
#include "data/model.h"

#include <math.h>

/* A piece takes about this many bytes of samples and codes, and at most this many tiles. */
enum { PIECE_BYTES = 8 << 20, PIECE_TILES = 64 };

typedef struct stream {
    dltf_encoder *encoder;
    dltf_reader *reader;
    dltf_progress_fn progress;
    void *context;
    int64_t max_rows;  /* of a piece */
    dltf_codes *codes; /* of a piece */
    int32_t *count;
    dl_residual residual;
} stream;

static int64_t piece_rows(int64_t n, int64_t k) {
    int64_t tile = DL_TILE * (n * (int64_t)sizeof(double) + k * (int64_t)(sizeof(int32_t) + sizeof(float)));
    int64_t tiles = PIECE_BYTES / tile;
    return DL_TILE * (tiles < 1 ? 1 : tiles > PIECE_TILES ? PIECE_TILES : tiles);
}

static dltf_status report(const stream *s) {
    int64_t total = dltf_reader_rows(s->reader);
    dltf_progress now = {"encoding", s->residual.rows, total > 0 ? total : 0, NULL};
    if (s->progress && s->progress(s->context, &now) != 0)
        return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    return DLTF_OK;
}

/* After a signal the callback decides whether to continue. */
static dltf_status read_piece(stream *s, dltf_matrix *X) {
    for (;;) {
        dltf_status status = dltf_reader_next(s->reader, s->max_rows, X);
        if (status == DLTF_CANCELLED && report(s) == DLTF_OK)
            continue;
        return status;
    }
}

static dltf_status encode_piece(stream *s, dltf_matrix X, dltf_codes_writer *writer,
                                dltf_stream_totals *totals) {
    dltf_status status = DLTF_OK;
    int64_t k = dltf_encoder_k(s->encoder);
    dl_slots out = {X.rows, k, s->count, s->codes->indices, s->codes->values};
    DL_TRY(dl_encoder_rows(s->encoder, X, 0, s->residual.rows, out));
    s->codes->rows = X.rows;
    dl_codes_compress(s->codes, s->count, k);
    DL_TRY(dl_residual_add(&s->residual, X, s->codes));
    DL_TRY(dltf_codes_writer_add(writer, dltf_codes_csr(s->codes)));
    totals->samples += X.rows;
    totals->entries += s->codes->indptr[X.rows];
done:
    return status;
}

/* Checks that the columns fit the model before anything is read. */
static dltf_status check_columns(const stream *s) {
    dltf_matrix shape = dltf_matrix_f32(s->codes->values, 1, dltf_reader_cols(s->reader));
    return dl_encoder_check(s->encoder, shape);
}

dltf_status dltf_encode_stream(const dltf_model *model, dltf_reader *reader,
                               const dltf_encode_options *encoding, dltf_progress_fn progress, void *context,
                               dltf_codes_writer *writer, dltf_stream_totals *totals) {
    dltf_status status = DLTF_OK;
    stream s = {.reader = reader, .progress = progress, .context = context};
    dltf_matrix X = {0};
    *totals = (dltf_stream_totals){0};
    DL_TRY(dltf_encoder_new(model, encoding, &s.encoder));
    s.max_rows = piece_rows(model->parts.n, dltf_encoder_k(s.encoder));
    DL_TRY(dl_codes_alloc(s.max_rows, model->parts.m, s.max_rows * dltf_encoder_k(s.encoder), &s.codes));
    DL_TRY(check_columns(&s));
    DL_TRY_NEW(s.count, s.max_rows);
    DL_TRY(
        dl_residual_open(&s.residual, model, dl_thread_count(encoding ? encoding->threads : 0), s.max_rows));
    DL_TRY(read_piece(&s, &X));
    while (X.rows > 0) {
        DL_TRY(encode_piece(&s, X, writer, totals));
        DL_TRY(report(&s));
        DL_TRY(read_piece(&s, &X));
    }
    totals->relative_error = dl_residual_relative(&s.residual);
done:
    dltf_encoder_free(s.encoder);
    dltf_codes_free(s.codes);
    dl_free(s.count);
    dl_residual_close(&s.residual);
    return status;
}
