/* Encoding with parts of a model: every rank codes all samples with its own atoms, ranks select the k best of
 * all (learning/ranks/codes.h), and rank 0 writes. For the error, ranks add up reconstructions. */
#include "api/encode_parts.h"

#include "api/piece.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "coding/encode_options.h"
#include "coding/encoder.h"
#include "comm/comm.h"
#include "data/codes.h"
#include "data/model.h"
#include "learning/ranks/codes.h"

#include <math.h>
#include <string.h>

enum { PIECE_TILES = 8 };

typedef struct job {
    const dl_model_part *part;
    dltf_reader *reader;
    dl_meter meter;
    int64_t k, rows, first; /* entries of a code; rows of a piece, at most; the first row of the piece */
    bool positive, measured;
    dltf_encoder *encoder; /* NULL without atoms */
    dl_slots found;
    dl_rank_codes ranks;
    int32_t *count;
    dltf_codes *codes;
    dl_residual residual;
    float *X;     /* rows x n: samples, as preprocessed */
    double *sums; /* rows x n: reconstructions */
} job;

/* ---- Memory ---- */

static dltf_status check(const dl_model_part *part, const dltf_reader *reader, const dltf_encode_options *o) {
    if (o->coder != DLTF_CODER_THRESHOLD || o->refit)
        return dl_fail_option(DLTF_ARGUMENT, o->refit ? "refit" : "coder",
                              "needs the whole dictionary: ranks that divide the atoms can use the coder "
                              "threshold, without refit");
    const dltf_model *model = part->model;
    if (model->threshold || model->scale || model->parts.layer_norm || model->parts.factor != 1)
        return dl_fail_about(
            DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
            "has thresholds, scales or a normalisation of its input, which ranks that divide the "
            "atoms do not support: divide the samples");
    if (o->k > part->m)
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than the model's %lld atoms", (long long)o->k,
                              (long long)part->m);
    if (dltf_reader_cols(reader) != part->model->parts.n)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "%lld columns, but the model expects %lld",
                             (long long)dltf_reader_cols(reader), (long long)part->model->parts.n);
    return DLTF_OK;
}

static dltf_status job_open(job *j, const dltf_encode_options *options) {
    dltf_status status = DLTF_OK;
    const dltf_model *model = j->part->model;
    dltf_encode_options own = *options;
    int threads = dl_thread_count(own.threads);
    int64_t n = model->parts.n, m = model->parts.m;
    j->k = own.k > 0 ? own.k : j->part->k;
    j->rows = PIECE_TILES * DL_TILE;
    j->measured = !own.no_error;
    own.select = own.select == DLTF_SELECT_MODEL ? model->parts.select : own.select;
    own.k = dl_min(j->k, m);
    j->positive = own.select == DLTF_SELECT_POSITIVE;
    if (m > 0)
        DL_TRY(dl_encoder_open(model, &own, INT64_MAX, &j->encoder));
    DL_TRY(dl_slots_alloc(&j->found, j->rows, dl_max(1, own.k)));
    DL_TRY(dl_rank_codes_alloc(&j->ranks, threads, j->rows, j->k));
    DL_TRY(dl_codes_alloc(j->rows, j->part->m, j->rows * j->k, &j->codes));
    DL_TRY_NEW(j->count, j->rows);
    if (!j->measured)
        goto done;
    DL_TRY(dl_residual_open(&j->residual, model, threads, j->rows));
    DL_TRY_NEW(j->X, j->rows * n);
    DL_TRY_NEW(j->sums, j->rows * n);
done:
    return status;
}

static void job_close(job *j) {
    dltf_encoder_free(j->encoder);
    dl_slots_free(&j->found);
    dl_rank_codes_free(&j->ranks);
    dltf_codes_free(j->codes);
    dl_free(j->count);
    dl_residual_close(&j->residual);
    dl_free(j->X);
    dl_free(j->sums);
}

/* ---- Pieces ---- */

static dltf_status code_own(job *j, dltf_matrix X) {
    memset(j->found.count, 0, (size_t)X.rows * sizeof *j->found.count);
    if (!j->encoder)
        return DLTF_OK;
    dl_slots found = dl_slots_from(&j->found, 0, X.rows);
    dltf_status status = dl_encoder_piece(j->encoder, X, j->first, found, NULL);
    for (int64_t i = 0; i < X.rows && status == DLTF_OK; i++)
        for (int32_t e = 0; e < found.count[i]; e++)
            found.index[i * found.k + e] += (int32_t)j->part->first;
    return status;
}

/* sum_j z_j w_j over the atoms of this rank. */
static void reconstruct(const job *j, dl_slots codes, int64_t i) {
    int64_t n = j->part->model->parts.n, first = j->part->first, end = first + j->part->model->parts.m;
    double *x = j->sums + i * n;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int64_t e = i * codes.k; e < i * codes.k + codes.count[i]; e++) {
        int32_t own = (int32_t)(codes.index[e] - first);
        if (codes.index[e] >= first && codes.index[e] < end)
            dl_decode(x, DL_ADD, j->part->model->dictionary, n, (dl_code){1, &own, codes.value + e});
    }
}

static void load_tile(job *j, const dl_samples *samples, int64_t tile, int worker) {
    int64_t n = samples->X.cols, first = tile * DL_TILE, rows = dl_min(DL_TILE, samples->X.rows - first);
    dl_residual_begin(&j->residual, tile, worker);
    for (int64_t i = 0; i < rows; i++)
        dl_residual_load(&j->residual, samples, tile, worker, first + i, i, j->X + (first + i) * n);
    for (int64_t i = first; i < first + rows; i++)
        dl_residual_given(&j->residual, tile, j->X + i * n, j->sums + i * n);
    dl_residual_end(&j->residual, tile, worker);
}

static dltf_status measure(job *j, dltf_matrix X, dl_slots codes) {
    for (int64_t i = 0; i < X.rows; i++)
        reconstruct(j, codes, i);
    dl_comm_sum(j->sums, X.rows * X.cols);
    dltf_status status = dl_comm_status();
    if (status != DLTF_OK || dl_comm_rank() > 0)
        return status;
    dl_samples samples = dl_model_samples(j->part->model, X);
    for (int64_t tile = 0; tile < dl_tiles(X.rows, DL_TILE); tile++)
        load_tile(j, &samples, tile, 0);
    status = dl_residual_check(&j->residual, X, j->first);
    return status == DLTF_OK ? dl_residual_join(&j->residual, j->residual.sums, X.rows) : status;
}

static dltf_status write_piece(job *j, int64_t rows, dltf_codes_writer *writer, dltf_stream_totals *totals) {
    if (dl_comm_rank() > 0)
        return DLTF_OK;
    j->codes->rows = rows;
    dl_codes_compress(j->codes, j->count, j->k);
    dltf_csr codes = dltf_codes_csr(j->codes);
    totals->samples += rows;
    totals->entries += codes.indptr[rows];
    return dltf_codes_writer_add(writer, codes);
}

static dltf_status code_piece(job *j, dltf_matrix X, dltf_codes_writer *writer, dltf_stream_totals *totals) {
    dltf_status status = DLTF_OK;
    dl_slots codes = {X.rows, j->k, j->count, j->codes->indices, j->codes->values};
    DL_TRY(dl_comm_agree(code_own(j, X)));
    dl_rank_codes_select(&j->ranks, dl_slots_from(&j->found, 0, X.rows), j->positive, codes);
    DL_TRY(dl_comm_status());
    if (j->measured)
        DL_TRY(measure(j, X, codes));
    DL_TRY(write_piece(j, X.rows, writer, totals));
    j->first += X.rows;
    status = dl_piece_report(&j->meter, j->first);
    if (dl_comm_any(status != DLTF_OK))
        status = dl_fail(DLTF_CANCELLED, "encoding was cancelled");
done:
    return status;
}

static dltf_status code_all(job *j, dltf_codes_writer *writer, dltf_stream_totals *totals) {
    dltf_status status = DLTF_OK;
    dltf_matrix X = {0};
    DL_TRY(dl_piece_read(j->reader, j->rows, &j->meter, 0, &X));
    while (X.rows > 0) {
        DL_TRY(code_piece(j, X, writer, totals));
        DL_TRY(dl_piece_read(j->reader, j->rows, &j->meter, j->first, &X));
    }
    status = dl_comm_agree(DLTF_OK);
done:
    return status;
}

dltf_status dl_encode_stream_parts(const dl_model_part *part, dltf_reader *reader,
                                   const dltf_encode_options *options, dltf_progress_fn progress,
                                   void *context, dltf_codes_writer *writer, dltf_stream_totals *totals) {
    dltf_status status = DLTF_OK;
    int64_t total = dltf_reader_rows(reader);
    job j = {.part = part,
             .reader = reader,
             .meter = dl_meter_new("encoding", progress, context, total > 0 ? total : 0)};
    *totals = (dltf_stream_totals){0};
    DL_TRY(dl_option_check(dl_encode_option_table(), options, NULL));
    DL_TRY(check(part, reader, options));
    DL_TRY(job_open(&j, options));
    DL_TRY(code_all(&j, writer, totals));
    totals->relative_error = j.measured ? dl_residual_relative(&j.residual) : NAN;
    totals->explained_variance = j.measured ? dl_residual_explained(&j.residual) : NAN;
done:
    job_close(&j);
    return status;
}
