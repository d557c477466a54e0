/* The linear search over threads: tasks are blocks of queries times parts of the database. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "search/cost.h"
#include "search/linear_scan.h"
#include "search/method.h"

/* Blocks of a round; rows of a part. */
enum { BLOCK = DL_SCAN_BLOCK, MOST_BLOCKS = 64, TASKS_PER_THREAD = 4, LEAST_PART = 1 << 14 };

typedef struct flat {
    dl_job *job;
    dl_linear_scan *scans; /* one for each thread */
    int64_t round, parts;  /* queries of a round at most; parts of the database */
    int64_t first, count;  /* queries of this round */
    dl_found *found;       /* round x parts */
} flat;

static void search_block(void *context, int64_t task, int thread) {
    flat *f = context;
    dl_linear_scan *scan = &f->scans[thread];
    const dl_job *job = f->job;
    int64_t first = task / f->parts * BLOCK, part = task % f->parts, rows = job->index->rows;
    int64_t count = dl_min(BLOCK, f->count - first), size = dl_tiles(rows, f->parts);
    for (int64_t q = 0; q < count; q++)
        dl_linear_scan_begin(scan, q, dl_job_query(job, f->first + first + q), job->k, job->radius);
    dl_linear_scan_rows(scan, part * size, dl_min(rows, (part + 1) * size), count);
    for (int64_t q = 0; q < count; q++)
        dl_found_take(&f->found[(first + q) * f->parts + part], &scan->hits[q]);
}

/* The size of a round, and parts of the database where blocks alone would not occupy all threads. */
static void plan(flat *f) {
    const dl_job *job = f->job;
    int64_t rows = job->index->rows, blocks = dl_tiles(job->queries->rows, BLOCK);
    int64_t affordable = dl_integer((double)DL_COST_ROUND / BLOCK / dl_cost_flat(job->index), 1, MOST_BLOCKS);
    blocks = dl_min(affordable, blocks);
    int64_t wanted = job->threads > 1 ? dl_tiles(TASKS_PER_THREAD * job->threads, blocks) : 1;
    f->round = blocks * BLOCK;
    f->parts = dl_max(1, dl_min(wanted, rows / LEAST_PART));
}

static dltf_status run_rounds(flat *f) {
    dl_job *job = f->job;
    for (f->first = 0; f->first < job->queries->rows; f->first += f->round) {
        f->count = dl_min(f->round, job->queries->rows - f->first);
        if (!dl_parallel_polled(job->threads, dl_tiles(f->count, BLOCK) * f->parts, search_block, f))
            return dl_job_cancelled();
        dltf_status status = dl_job_append(job, f->found, f->count, f->parts);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

dltf_status dl_flat_search(dl_job *job) {
    dltf_status status = DLTF_OK;
    flat f = {.job = job};
    plan(&f);
    DL_TRY_NEW(f.found, f.round * f.parts);
    DL_TRY_NEW(f.scans, job->threads);
    for (int t = 0; t < job->threads; t++)
        DL_TRY(dl_linear_scan_alloc(&f.scans[t], job->index, dl_min(BLOCK, job->queries->rows)));
    status = run_rounds(&f);
done:
    for (int t = 0; f.scans && t < job->threads; t++)
        dl_linear_scan_free(&f.scans[t]);
    dl_free(f.scans);
    if (f.found)
        dl_found_free(f.found, f.round * f.parts);
    dl_free(f.found);
    return status;
}
