/* dltf_hasher_encode: tiles of samples over threads. */
#include "base/finite.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "hash/hasher.h"

#include <string.h>

enum { TILES_PER_REPORT = 64 };

void dl_hash_scores(const dltf_hasher *h, dl_hash_space *space, const float *X, int64_t x_stride,
                    int64_t rows) {
    dl_score_tile(&h->scores, X, x_stride, rows, space->scores);
    if (!dl_all_finite(space->scores, rows * h->scores.m))
        space->not_finite = true;
}

typedef struct job {
    const dltf_hasher *h;
    dl_samples samples;
    int64_t first, rows; /* of the tiles in work */
    dl_hash_space *spaces;
    uint8_t *codes;
} job;

static void spaces_free(dl_hash_space *spaces, int threads) {
    for (int t = 0; spaces && t < threads; t++) {
        dl_free(spaces[t].row);
        dl_free(spaces[t].X);
        dl_free(spaces[t].scores);
        dl_free(spaces[t].keys);
        dl_slots_free(&spaces[t].slots);
    }
    dl_free(spaces);
}

static dltf_status spaces_alloc(const dltf_hasher *h, int threads, int64_t rows, void *run,
                                dl_hash_space **spaces) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(*spaces, threads);
    for (int t = 0; t < threads; t++) {
        dl_hash_space *s = &(*spaces)[t];
        s->worker = t;
        s->run = run;
        DL_TRY_NEW(s->row, h->n);
        DL_TRY_NEW(s->X, rows * h->n);
        DL_TRY_NEW(s->scores, rows * h->bits);
        DL_TRY_NEW(s->keys, h->bits);
        DL_TRY(dl_slots_alloc(&s->slots, rows, dl_max(h->k, 1)));
    }
done:
    return status;
}

static void encode_tile(void *context, int64_t tile, int worker) {
    job *j = context;
    dl_hash_space *space = &j->spaces[worker];
    int64_t n = j->h->n, start = j->first + tile * DL_TILE, x_stride = n, width = j->h->bits / 8;
    int64_t rows = dl_min(DL_TILE, j->first + j->rows - start);
    const float *X = dl_samples_direct(&j->samples, start, &x_stride);
    for (int64_t i = 0; !X && i < rows; i++)
        dl_samples_row(&j->samples, start + i, space->row, space->X + i * n);
    memset(j->codes + start * width, 0, (size_t)(rows * width));
    j->h->method->tile(j->h, space, X ? X : space->X, x_stride, rows, j->codes + start * width);
}

/* The reason why a score is not finite: NaN or infinity in the data, or overflow of the products. */
static dltf_status explain(dltf_matrix X) {
    dltf_status status = dl_matrix_check_finite(X, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    return dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                         "products with the hasher overflow single precision: rescale the data");
}

static dltf_status cancelled(void) {
    return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
}

static dltf_status encode_rows(job *j, int threads, dl_meter *meter) {
    for (; j->first < j->samples.X.rows; j->first += j->rows) {
        j->rows = dl_min(TILES_PER_REPORT * DL_TILE, j->samples.X.rows - j->first);
        if (!dl_parallel_polled(threads, dl_tiles(j->rows, DL_TILE), encode_tile, j))
            return cancelled();
        for (int t = 0; t < threads; t++)
            if (j->spaces[t].not_finite)
                return explain(j->samples.X);
        if (!dl_meter_add(meter, j->rows))
            return cancelled();
    }
    return dl_matrix_status(j->samples.X);
}

dltf_status dltf_hasher_encode(const dltf_hasher *hasher, dltf_matrix X, int64_t threads,
                               dltf_progress_fn progress, void *context, uint8_t *codes) {
    DL_REQUIRE(hasher, codes);
    const dltf_hasher *h = hasher;
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK && X.cols != h->n)
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "%lld columns, but the hasher expects %lld",
                               (long long)X.cols, (long long)h->n);
    if (status != DLTF_OK)
        return status;
    int workers = (int)dl_min(dl_thread_count(threads), dl_tiles(X.rows, DL_TILE));
    job j = {.h = h, .samples = {.X = X, .mean = h->mean, .scale = 1}, .codes = codes};
    void *run = NULL;
    dl_meter meter = dl_meter_new("encoding", progress, context, X.rows);
    dl_meter_watch(&meter);
    if (h->method->open)
        DL_TRY(h->method->open(h, workers, &run));
    DL_TRY(spaces_alloc(h, workers, dl_min(X.rows, DL_TILE), run, &j.spaces));
    status = encode_rows(&j, workers, &meter);
done:
    dl_meter_unwatch(&meter);
    spaces_free(j.spaces, workers);
    if (run)
        h->method->close(run);
    return status;
}
