/* dltf_encode_stream: connects coding, which does no I/O, to readers and writers, which know no models. Rows
 * are read, coded and written piece by piece; a piece is a few tiles. */
#include "api/piece.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "coding/encode_options.h"
#include "coding/encoder.h"
#include "coding/residual.h"
#include "comm/comm.h"
#include "data/codes.h"
#include "data/model.h"
#include "io/streams/reader.h"

#include <math.h>

/* With several ranks, rounds: the pieces of a round are coded by one rank each and written by rank 0. */
typedef struct pieces {
    int64_t *rows, *tiles, *entries; /* of the piece of each rank */
    int64_t *ones;                   /* that is how many numbers of entries each rank sends */
    int32_t *count, *indices;        /* the pieces of all ranks, one after the other; on rank 0 */
    float *values;
    double *sums; /* of tiles, as dl_residual has them; none unless the error is measured */
} pieces;

typedef struct stream {
    dltf_encoder *encoder;
    dltf_reader *reader;
    dl_meter meter;
    int64_t max_rows;  /* of a piece */
    int64_t first;     /* row of the piece of this rank */
    int64_t written;   /* rows */
    dltf_codes *codes; /* of a piece */
    int32_t *count;
    bool measured; /* the error */
    dl_residual residual;
    pieces round;
} stream;

/* ---- Memory ---- */

static dltf_status round_alloc(stream *s, int64_t n, int64_t k) {
    dltf_status status = DLTF_OK;
    pieces *r = &s->round;
    int64_t max_rows = s->max_rows, ranks = dl_comm_size(), all = dl_comm_rank() == 0 ? ranks * max_rows : 0;
    DL_TRY_NEW(r->rows, ranks);
    DL_TRY_NEW(r->tiles, ranks);
    DL_TRY_NEW(r->entries, ranks);
    DL_TRY_NEW(r->ones, ranks);
    for (int64_t i = 0; i < ranks; i++)
        r->ones[i] = 1;
    DL_TRY_NEW(r->count, all);
    DL_TRY_NEW(r->indices, all * k);
    DL_TRY_NEW(r->values, all * k);
    if (s->measured)
        DL_TRY_NEW(r->sums, dl_tiles(all, DL_TILE) * dl_residual_width(n));
done:
    return status;
}

static void round_free(pieces *r) {
    dl_free(r->rows);
    dl_free(r->tiles);
    dl_free(r->entries);
    dl_free(r->ones);
    dl_free(r->count);
    dl_free(r->indices);
    dl_free(r->values);
    dl_free(r->sums);
}

/* Checks that the columns fit the model before anything is read. */
static dltf_status check_columns(const stream *s) {
    dltf_matrix shape = dltf_matrix_f32(s->codes->values, 1, dltf_reader_cols(s->reader));
    return dl_encoder_check(s->encoder, shape);
}

static dltf_status stream_open(stream *s, const dltf_model *model, const dltf_encode_options *options) {
    dltf_status status = DLTF_OK;
    int threads = dl_thread_count(options->threads);
    int64_t total = dltf_reader_rows(s->reader);
    s->measured = !options->no_error;
    DL_TRY(dl_encoder_open(model, options, total < 0 ? INT64_MAX : dl_max(total, DL_TILE), &s->encoder));
    int64_t k = dltf_encoder_k(s->encoder);
    s->max_rows =
        dl_encoder_unlimited(s->encoder) ? dl_encoder_batch(s->encoder) : dl_piece_rows(model->parts.n, k);
    DL_TRY(dl_codes_alloc(s->max_rows, model->parts.m, s->max_rows * k, &s->codes));
    DL_TRY(check_columns(s));
    DL_TRY_NEW(s->count, s->max_rows);
    if (s->measured)
        DL_TRY(dl_residual_open(&s->residual, model, threads, s->max_rows));
    if (dl_comm_size() == 1)
        goto done;
    DL_TRY(round_alloc(s, model->parts.n, k));
    if (total < 0)
        status = dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                               "a stream cannot be divided among ranks: use one process");
done:
    return status;
}

static void stream_close(stream *s) {
    dltf_encoder_free(s->encoder);
    dltf_codes_free(s->codes);
    dl_free(s->count);
    dl_residual_close(&s->residual);
    round_free(&s->round);
}

/* ---- Pieces ---- */

static dltf_status read_piece(stream *s, dltf_matrix *X) {
    return dl_piece_read(s->reader, s->max_rows, &s->meter, s->written, X);
}

/* Codes and residual of a piece. */
static dltf_status code_piece(stream *s, dltf_matrix X) {
    int64_t k = dltf_encoder_k(s->encoder);
    dl_slots out = {X.rows, k, s->count, s->codes->indices, s->codes->values};
    dltf_status status = dl_encoder_piece(s->encoder, X, s->first, out, s->measured ? &s->residual : NULL);
    if (status != DLTF_OK)
        return status;
    s->codes->rows = X.rows;
    dl_codes_compress(s->codes, s->count, k);
    return DLTF_OK;
}

static dltf_status write_piece(stream *s, dltf_csr codes, const double *sums, dltf_codes_writer *writer,
                               dltf_stream_totals *totals) {
    dltf_status status = s->measured ? dl_residual_join(&s->residual, sums, codes.rows) : DLTF_OK;
    s->written += codes.rows;
    totals->samples += codes.rows;
    totals->entries += codes.indptr[codes.rows];
    return status == DLTF_OK ? dltf_codes_writer_add(writer, codes) : status;
}

static dltf_status encode_alone(stream *s, dltf_codes_writer *writer, dltf_stream_totals *totals) {
    dltf_status status = DLTF_OK;
    dltf_matrix X = {0};
    DL_TRY(read_piece(s, &X));
    while (X.rows > 0) {
        DL_TRY(code_piece(s, X));
        DL_TRY(write_piece(s, dltf_codes_csr(s->codes), s->residual.sums, writer, totals));
        s->first += X.rows;
        DL_TRY(dl_piece_report(&s->meter, s->written));
        DL_TRY(read_piece(s, &X));
    }
done:
    return status;
}

/* ---- Rounds ---- */

/* The rows of the pieces of a round that begins at row `begin`. Moves the reader to that of this rank. */
static dltf_status begin_round(stream *s, int64_t begin) {
    dltf_status status = DLTF_OK;
    int64_t total = dltf_reader_rows(s->reader);
    for (int r = 0; r < dl_comm_size(); r++) {
        int64_t first = begin + r * s->max_rows;
        s->round.rows[r] = dl_max(0, dl_min(s->max_rows, total - first));
        s->round.tiles[r] = dl_tiles(s->round.rows[r], DL_TILE);
        if (r < dl_comm_rank())
            DL_TRY(dl_reader_skip(s->reader, s->max_rows));
    }
    s->first = begin + dl_comm_rank() * s->max_rows;
done:
    return status;
}

static dltf_status code_own_piece(stream *s) {
    dltf_status status = DLTF_OK;
    dltf_matrix X = {0};
    int rank = dl_comm_rank();
    if (s->round.rows[rank] > 0) {
        DL_TRY(read_piece(s, &X));
        DL_TRY(code_piece(s, X));
    }
    status = dl_reader_skip(s->reader, (dl_comm_size() - 1 - rank) * s->max_rows);
done:
    return status;
}

static int64_t tile_bytes(const stream *s) {
    return dl_residual_width(dltf_reader_cols(s->reader)) * (int64_t)sizeof(double);
}

static dltf_status collect_round(stream *s) {
    pieces *r = &s->round;
    int64_t mine = r->rows[dl_comm_rank()] > 0 ? s->codes->indptr[s->codes->rows] : 0;
    dl_comm_gather_all(&mine, r->ones, sizeof mine, r->entries);
    dl_comm_gather(s->count, r->rows, sizeof *r->count, r->count);
    dl_comm_gather(s->codes->indices, r->entries, sizeof *r->indices, r->indices);
    dl_comm_gather(s->codes->values, r->entries, sizeof *r->values, r->values);
    if (s->measured)
        dl_comm_gather(s->residual.sums, r->tiles, tile_bytes(s), r->sums);
    return dl_comm_status();
}

static dltf_status write_round(stream *s, dltf_codes_writer *writer, dltf_stream_totals *totals) {
    dltf_status status = DLTF_OK;
    pieces all = s->round;
    for (int r = 0; r < dl_comm_size(); r++) {
        int64_t *indptr = s->codes->indptr, rows = all.rows[r];
        for (int64_t i = 0; i < rows; i++)
            indptr[i + 1] = indptr[i] + all.count[i];
        dltf_csr codes = {rows, s->codes->cols, indptr, all.indices, all.values, NULL};
        if (rows > 0)
            DL_TRY(write_piece(s, codes, all.sums, writer, totals));
        all.count += rows;
        all.indices += all.entries[r];
        all.values += all.entries[r];
        if (s->measured)
            all.sums += all.tiles[r] * dl_residual_width(dltf_reader_cols(s->reader));
    }
done:
    return status;
}

static dltf_status encode_in_rounds(stream *s, dltf_codes_writer *writer, dltf_stream_totals *totals) {
    dltf_status status = DLTF_OK;
    dltf_matrix rest = {0};
    for (int64_t begin = 0; begin < dltf_reader_rows(s->reader); begin += dl_comm_size() * s->max_rows) {
        DL_TRY(begin_round(s, begin));
        DL_TRY(code_own_piece(s));
        DL_TRY(collect_round(s));
        if (dl_comm_rank() == 0)
            DL_TRY(write_round(s, writer, totals));
        status = dl_piece_report(&s->meter, s->written);
        if (dl_comm_any(status != DLTF_OK))
            return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    }
    DL_TRY(read_piece(s, &rest)); /* none, unless the file goes on */
    status = dl_comm_agree(DLTF_OK);
done:
    return status;
}

dltf_status dltf_encode_stream_sized(const dltf_model *model, dltf_reader *reader,
                                     const dltf_encode_options *options, dltf_progress_fn progress,
                                     void *context, dltf_codes_writer *writer, dltf_stream_totals *totals,
                                     size_t size) {
    DL_REQUIRE(model, reader, totals);
    if (dl_comm_rank() == 0)
        DL_REQUIRE(writer);
    int64_t total = dltf_reader_rows(reader);
    stream s = {.reader = reader,
                .meter = dl_meter_new("encoding", progress, context, total > 0 ? total : 0)};
    dltf_encode_options own_options;
    dltf_stream_totals own = {0};
    DL_WRITE_STRUCT(dltf_stream_totals, totals, size, &own);
    dltf_status status = DL_READ_OPTIONS(encode, options, &own_options);
    if (dl_comm_size() == 1) /* ranks could not agree on where to stop */
        dl_meter_watch(&s.meter);
    if (status == DLTF_OK)
        status = stream_open(&s, model, &own_options);
    if (status == DLTF_OK)
        status = dl_comm_size() == 1 ? encode_alone(&s, writer, &own) : encode_in_rounds(&s, writer, &own);
    if (status == DLTF_OK) {
        own.relative_error = s.measured ? dl_residual_relative(&s.residual) : NAN;
        own.explained_variance = s.measured ? dl_residual_explained(&s.residual) : NAN;
    }
    DL_WRITE_STRUCT(dltf_stream_totals, totals, size, &own);
    dl_meter_unwatch(&s.meter);
    stream_close(&s);
    return status;
}
