/* Binary codes of samples, tiles over threads: dltf_hasher_apply, and runs over the pieces of a stream. */
#include "base/finite.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "coding/residual.h"
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

struct dl_hash_run {
    const dltf_hasher *h;
    int threads;
    void *state; /* of the method */
    dl_hash_space *spaces;
};

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
static dltf_status explain(dltf_matrix X, int64_t number, double *row) {
    dltf_status status = dl_find_not_finite(X, number, row);
    if (status != DLTF_OK)
        return status;
    return dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                         "products with the hasher overflow single precision: rescale the data");
}

static dltf_status cancelled(void) {
    return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
}

dltf_status dl_hash_run_rows(dl_hash_run *run, dltf_matrix X, int64_t number, dl_meter *meter,
                             uint8_t *codes) {
    job j = {.h = run->h,
             .samples = {.X = X, .mean = run->h->mean, .scale = 1},
             .spaces = run->spaces,
             .codes = codes};
    for (; j.first < X.rows; j.first += j.rows) {
        j.rows = dl_min(TILES_PER_REPORT * DL_TILE, X.rows - j.first);
        if (!dl_parallel_polled(run->threads, dl_tiles(j.rows, DL_TILE), encode_tile, &j))
            return cancelled();
        for (int t = 0; t < run->threads; t++)
            if (run->spaces[t].not_finite)
                return explain(X, number, run->spaces[0].row);
        if (!dl_meter_add(meter, j.rows))
            return cancelled();
    }
    return dl_matrix_status(X);
}

dltf_status dl_hash_run_open(const dltf_hasher *h, int64_t threads, int64_t rows, dl_hash_run **run) {
    dltf_status status = DLTF_OK;
    dl_hash_run *made = NULL;
    DL_TRY_NEW(made, 1);
    made->h = h;
    made->threads = (int)dl_min(dl_thread_count(threads), dl_tiles(rows, DL_TILE));
    if (h->method->open)
        DL_TRY(h->method->open(h, made->threads, &made->state));
    DL_TRY(spaces_alloc(h, made->threads, dl_min(rows, DL_TILE), made->state, &made->spaces));
    *run = made;
    made = NULL;
done:
    dl_hash_run_close(made);
    return status;
}

void dl_hash_run_close(dl_hash_run *run) {
    if (!run)
        return;
    spaces_free(run->spaces, run->threads);
    if (run->state)
        run->h->method->close(run->state);
    dl_free(run);
}

dltf_status dl_hasher_check_columns(const dltf_hasher *h, int64_t columns) {
    if (columns == h->n)
        return DLTF_OK;
    return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "%lld columns, but the hasher expects %lld",
                         (long long)columns, (long long)h->n);
}

dltf_status dltf_hasher_apply(const dltf_hasher *hasher, dltf_matrix X, int64_t threads,
                              dltf_progress_fn progress, void *context, uint8_t *hashes) {
    DL_REQUIRE(hasher, hashes);
    DL_REQUIRE_THREADS(threads);
    dl_hash_run *run = NULL;
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK)
        status = dl_hasher_check_columns(hasher, X.cols);
    if (status != DLTF_OK)
        return status;
    dl_meter meter = dl_meter_new("encoding", progress, context, X.rows);
    dl_meter_watch(&meter);
    DL_TRY(dl_hash_run_open(hasher, threads, X.rows, &run));
    status = dl_hash_run_rows(run, X, 0, &meter, hashes);
done:
    dl_meter_unwatch(&meter);
    dl_hash_run_close(run);
    return status;
}
