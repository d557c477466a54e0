/* dltf_hasher_apply_stream: connects hashers, which do no I/O, to readers and files. Rows are read, coded
 * and written piece by piece, in constant memory. */
#include "api/piece.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/options.h"
#include "hash/hasher.h"
#include "io/files/file.h"
#include "io/streams/row_writer.h"

#include <string.h>

/* A piece takes about this many bytes of samples, and at most this many tiles. */
enum { PIECE_BYTES = 8 << 20, PIECE_TILES = 64 };

typedef struct stream {
    dltf_reader *reader;
    dl_hash_run *run;
    dl_meter meter;
    int64_t max_rows; /* of a piece */
    uint8_t *codes;   /* of a piece */
    dl_writer out;
    dl_row_writer rows;
} stream;

static int64_t piece_rows(const dltf_hasher *h) {
    int64_t tiles = PIECE_BYTES / (DL_TILE * h->n * (int64_t)sizeof(double));
    return DL_TILE * dl_max(1, dl_min(tiles, PIECE_TILES));
}

static dltf_status open_output(stream *s, const char *path, dltf_layout layout, int64_t bits) {
    bool to_output = strcmp(path, "-") == 0;
    s->rows = (dl_row_writer){.out = &s->out,
                              .type = DLTF_U8,
                              .raw = layout == DLTF_LAYOUT_RAW,
                              .expected = dltf_reader_rows(s->reader),
                              .cols = bits / 8};
    dltf_status status = to_output ? dl_writer_open_output(&s->out) : dl_writer_open(&s->out, path);
    return status == DLTF_OK ? dl_row_writer_begin(&s->rows, path) : status;
}

static dltf_status read_piece(stream *s, dltf_matrix *X) {
    return dl_piece_read(s->reader, s->max_rows, &s->meter, s->meter.done, X);
}

static dltf_status encode_pieces(stream *s, const char *name) {
    dltf_status status = DLTF_OK;
    dltf_matrix X = {0};
    DL_TRY(read_piece(s, &X));
    while (X.rows > 0) {
        DL_TRY(dl_hash_run_rows(s->run, X, s->rows.rows, &s->meter, s->codes));
        DL_TRY(dl_file_result(dl_row_writer_add(&s->rows, s->codes, X.rows), name));
        DL_TRY(read_piece(s, &X));
    }
    DL_TRY(dl_file_result(dl_row_writer_end(&s->rows), name));
    status = dl_file_result(dl_writer_commit(&s->out), name);
done:
    return status;
}

dltf_status dltf_hasher_apply_stream(const dltf_hasher *hasher, dltf_reader *reader, int64_t threads,
                                     dltf_progress_fn progress, void *context, const char *path,
                                     dltf_layout layout, int64_t *samples) {
    DL_REQUIRE(hasher, reader, path, samples);
    DL_REQUIRE_THREADS(threads);
    dltf_status status = DLTF_OK;
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    stream s = {.reader = reader, .max_rows = piece_rows(hasher)};
    *samples = 0;
    if (layout != DLTF_LAYOUT_DENSE && layout != DLTF_LAYOUT_RAW)
        return dl_fail(DLTF_ARGUMENT, "unsupported layout %d for binary codes", (int)layout);
    s.meter = dl_meter_new("encoding", progress, context, dl_max(0, dltf_reader_rows(reader)));
    dl_meter_watch(&s.meter);
    DL_TRY(dl_hasher_check_columns(hasher, dltf_reader_cols(reader)));
    DL_TRY_NEW(s.codes, s.max_rows * hasher->bits / 8);
    DL_TRY(dl_hash_run_open(hasher, threads, s.max_rows, &s.run));
    DL_TRY(dl_file_result(open_output(&s, path, layout, hasher->bits), name));
    DL_TRY(encode_pieces(&s, name));
    *samples = s.rows.rows;
done:
    dl_writer_abort(&s.out);
    dl_meter_unwatch(&s.meter);
    dl_hash_run_close(s.run);
    dl_free(s.codes);
    return status;
}
