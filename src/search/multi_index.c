/* Multi-index hashing: M. Norouzi, A. Punjani and D. Fleet, "Fast search in Hamming space with multi-index
 * hashing", CVPR 2012.
 *
 * With m tables, step m s + t looks up the substrings in table t that differ from the query's in exactly s
 * bits. Steps 0 .. r find every row within distance r: a row that they do not find differs in at least
 * floor((r - t) / m) + 1 bits in each substring t, which are r + 1 bits in total. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "search/cost.h"
#include "search/linear_scan.h"
#include "search/method.h"

#include <stdlib.h>

/* Queries of a task; keys and rows that are fetched together, to overlap accesses to memory. */
enum { BLOCK = DL_SCAN_BLOCK, MOST_BLOCKS = 64, TASKS_PER_THREAD = 4, KEYS = 256, LISTED = 256 };

typedef struct bucket {
    uint32_t begin, end;
} bucket;

/* The work space of one thread. */
typedef struct worker {
    const dltf_index *index;
    dl_linear_scan scan;    /* for the queries of the block that are left to the linear search */
    int64_t waiting[BLOCK]; /* these queries */

    /* One query. */
    const uint8_t *query;
    uint32_t substring[DL_INDEX_MAX_TABLES];
    dl_hits *found;
    double cost, most; /* so far; what the linear search is better than */

    bucket buckets[KEYS];
    uint32_t rows[LISTED];
    uint16_t distances[LISTED];
    int64_t listed;
    bool corrupt; /* an entry of a table is out of range */
} worker;

typedef struct multi_index {
    dl_job *job;
    worker *workers;
    int64_t block, round; /* queries of a task, of a round */
    int64_t first, count;
    dl_found *found;
} multi_index;

/* ---- One step ---- */

/* Whether no earlier step has found the row. */
static bool is_new(const worker *w, int64_t row, int64_t step) {
    const dltf_index *index = w->index;
    const uint8_t *code = index->codes + row * index->width;
    for (int64_t t = 0; t < index->tables; t++) {
        const dl_table *table = &index->table[t];
        uint32_t key = dl_substring(code, index->width, table->first_bit, table->bits);
        if (__builtin_popcount(key ^ w->substring[t]) * index->tables + t < step)
            return false;
    }
    return true;
}

static void compare_listed(worker *w, int64_t step) {
    const dltf_index *index = w->index;
    w->scan.kernels->hamming_listed(index->codes, index->width, w->rows, w->listed, w->query, w->distances);
    for (int64_t i = 0; i < w->listed; i++)
        if (w->distances[i] < w->found->limit && is_new(w, w->rows[i], step))
            dl_hits_add(w->found, w->distances[i], w->rows[i]);
    dl_hits_lower(w->found);
    w->cost += (double)w->listed * DL_COST_ROW;
    w->listed = 0;
}

static void compare_bucket(worker *w, const dl_table *table, bucket b, int64_t step) {
    for (int64_t i = b.begin; i < b.end && w->cost <= w->most; i++) {
        uint32_t row = table->rows[i];
        if (row >= w->index->rows) {
            w->corrupt = true;
            return;
        }
        __builtin_prefetch(w->index->codes + row * w->index->width);
        w->rows[w->listed++] = row;
        if (w->listed == LISTED)
            compare_listed(w, step);
    }
}

/* The next larger number with as many ones. */
static uint64_t next_mask(uint64_t mask) {
    uint64_t low = mask & -mask, sum = mask + low;
    return sum | (mask ^ sum) >> (2 + __builtin_ctzll(low));
}

/* Lists the non-empty buckets of the next keys: those that differ from `key` in the bits of a mask. Returns
 * how many; *mask is then the first that is left. */
static int64_t list_buckets(worker *w, const dl_table *table, uint32_t key, uint64_t *mask) {
    uint64_t end = 1ull << table->bits;
    uint32_t keys[KEYS];
    int64_t count = 0, filled = 0;
    for (; *mask < end && count < KEYS; *mask = *mask ? next_mask(*mask) : end) {
        keys[count] = key ^ (uint32_t)*mask;
        __builtin_prefetch(&table->starts[keys[count++]]);
    }
    for (int64_t i = 0; i < count; i++) {
        bucket b = {table->starts[keys[i]], table->starts[(int64_t)keys[i] + 1]};
        if (b.begin > b.end || b.end > w->index->rows)
            w->corrupt = true;
        else if (b.begin < b.end) {
            __builtin_prefetch(&table->rows[b.begin]);
            w->buckets[filled++] = b;
        }
    }
    return filled;
}

static void run_step(worker *w, int64_t step) {
    int64_t t = step % w->index->tables;
    const dl_table *table = &w->index->table[t];
    uint64_t mask = (1ull << step / w->index->tables) - 1;
    while (mask < 1ull << table->bits && !w->corrupt && w->cost <= w->most && dl_poll()) {
        int64_t count = list_buckets(w, table, w->substring[t], &mask);
        for (int64_t i = 0; i < count; i++)
            compare_bucket(w, table, w->buckets[i], step);
    }
    compare_listed(w, step);
}

/* ---- One query ---- */

/* The last step that any table has. */
static int64_t last_step(const dltf_index *index) {
    int64_t last = 0;
    for (int64_t t = 0; t < index->tables; t++)
        last = dl_max(last, index->table[t].bits * index->tables + t);
    return last;
}

static bool is_complete(const worker *w, const dl_job *job, int64_t step) {
    int64_t within = 0, bits = 8 * w->index->width;
    if (job->k == 0)
        return step >= job->radius;
    for (int64_t d = 0; d <= dl_min(step, bits); d++)
        within += w->found->counts[d];
    return within >= job->k;
}

/* Runs steps until all neighbours are found; false if that costs too much. */
static bool search_query(worker *w, const dl_job *job) {
    const dltf_index *index = w->index;
    int64_t last = last_step(index);
    for (int64_t t = 0; t < index->tables; t++)
        w->substring[t] =
            dl_substring(w->query, index->width, index->table[t].first_bit, index->table[t].bits);
    w->cost = 0;
    w->most = job->most;
    for (int64_t step = 0; step <= last && !w->corrupt; step++) {
        int64_t bits = index->table[step % index->tables].bits;
        w->cost += dl_cost_keys(bits, step / index->tables) * DL_COST_BUCKET;
        if (w->cost <= w->most)
            run_step(w, step);
        if (w->cost > w->most)
            return false;
        if (is_complete(w, job, step))
            return true;
    }
    return true;
}

/* ---- Blocks of queries ---- */

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void search_block(void *context, int64_t task, int thread) {
    multi_index *m = context;
    worker *w = &m->workers[thread];
    const dl_job *job = m->job;
    int64_t first = task * m->block, count = dl_min(m->block, m->count - first), bits = 8 * w->index->width;
    int64_t waiting = 0;
    for (int64_t q = 0; q < count; q++) {
        w->query = dl_job_query(job, m->first + first + q);
        w->found = &w->scan.hits[waiting];
        dl_hits_begin(w->found, job->k, job->radius, bits, false);
        if (search_query(w, job)) {
            dl_found *found = &m->found[first + q];
            dl_found_take(found, w->found);
            if (found->count > 0)
                qsort(found->hits, (size_t)found->count, sizeof *found->hits, by_number);
            continue;
        }
        dl_linear_scan_begin(&w->scan, waiting, w->query, job->k, job->radius);
        w->waiting[waiting++] = first + q;
    }
    if (waiting > 0)
        dl_linear_scan_rows(&w->scan, 0, w->index->rows, waiting);
    for (int64_t i = 0; i < waiting; i++)
        dl_found_take(&m->found[w->waiting[i]], &w->scan.hits[i]);
}

static dltf_status run_rounds(multi_index *m) {
    dl_job *job = m->job;
    for (m->first = 0; m->first < job->queries->rows; m->first += m->round) {
        m->count = dl_min(m->round, job->queries->rows - m->first);
        if (!dl_parallel_polled(job->threads, dl_tiles(m->count, m->block), search_block, m))
            return dl_job_cancelled();
        for (int t = 0; t < job->threads; t++)
            if (m->workers[t].corrupt)
                return dl_fail_about(DLTF_FORMAT, DLTF_SUBJECT_DATABASE,
                                     "is corrupt: a table has an entry that is out of range");
        dltf_status status = dl_job_append(job, m->found, m->count, 1);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

/* Blocks small enough to occupy all threads; a round of blocks, each query at its worst. */
static void plan(multi_index *m) {
    const dl_job *job = m->job;
    m->block = dl_min(BLOCK, dl_tiles(job->queries->rows, TASKS_PER_THREAD * job->threads));
    double affordable = (double)DL_COST_ROUND / (double)m->block / job->most;
    m->round = m->block * dl_integer(affordable, TASKS_PER_THREAD, MOST_BLOCKS);
}

dltf_status dl_multi_index_search(dl_job *job) {
    dltf_status status = DLTF_OK;
    multi_index m = {.job = job};
    plan(&m);
    DL_TRY_NEW(m.found, m.round);
    DL_TRY_NEW(m.workers, job->threads);
    for (int t = 0; t < job->threads; t++) {
        m.workers[t].index = job->index;
        DL_TRY(dl_linear_scan_alloc(&m.workers[t].scan, job->index, m.block));
    }
    status = run_rounds(&m);
done:
    for (int t = 0; m.workers && t < job->threads; t++)
        dl_linear_scan_free(&m.workers[t].scan);
    dl_free(m.workers);
    if (m.found)
        dl_found_free(m.found, m.round);
    dl_free(m.found);
    return status;
}
