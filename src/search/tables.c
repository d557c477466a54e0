/* dltf_index_add_tables: a table for each substring, by counting. Tables are built in parallel, each by one
 * thread in the order of the rows. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/options.h"
#include "base/parallel.h"
#include "data/index.h"

#include <string.h>

/* Rows between two reports of progress. */
enum { CHUNK = 1 << 20 };

typedef struct builder {
    dltf_index *index;
    uint32_t *starts[DL_INDEX_MAX_TABLES], *rows[DL_INDEX_MAX_TABLES];
    int64_t first, last; /* rows of this chunk */
} builder;

static uint32_t key_of(const dltf_index *index, const dl_table *table, int64_t row) {
    return dl_substring(index->codes + row * index->width, index->width, table->first_bit, table->bits);
}

static void count_rows(void *context, int64_t t, int worker) {
    (void)worker;
    builder *b = context;
    for (int64_t row = b->first; row < b->last; row++)
        b->starts[t][(int64_t)key_of(b->index, &b->index->table[t], row) + 1]++;
}

static void add_up(void *context, int64_t t, int worker) {
    (void)worker;
    builder *b = context;
    for (int64_t key = 0; key < 1ll << b->index->table[t].bits; key++)
        b->starts[t][key + 1] += b->starts[t][key];
}

/* Afterwards each start has moved to the next one. */
static void place_rows(void *context, int64_t t, int worker) {
    (void)worker;
    builder *b = context;
    for (int64_t row = b->first; row < b->last; row++)
        b->rows[t][b->starts[t][key_of(b->index, &b->index->table[t], row)]++] = (uint32_t)row;
}

static void move_back(void *context, int64_t t, int worker) {
    (void)worker;
    builder *b = context;
    memmove(b->starts[t] + 1, b->starts[t], sizeof *b->starts[t] << b->index->table[t].bits);
    b->starts[t][0] = 0;
}

static dltf_status each_chunk(builder *b, dl_task run, int threads, dl_meter *meter) {
    for (b->first = 0; b->first < b->index->rows; b->first = b->last) {
        b->last = dl_min(b->first + CHUNK, b->index->rows);
        dl_parallel(threads, b->index->tables, run, b);
        if (!dl_meter_add(meter, b->last - b->first))
            return dl_fail(DLTF_CANCELLED, "cancelled");
    }
    return DLTF_OK;
}

static dltf_status build(dltf_index *index, int threads, dl_meter *meter) {
    dltf_status status = DLTF_OK;
    builder b = {.index = index};
    for (int64_t t = 0; t < index->tables; t++) {
        b.starts[t] = (uint32_t *)(uintptr_t)index->table[t].starts;
        b.rows[t] = (uint32_t *)(uintptr_t)index->table[t].rows;
    }
    DL_TRY(each_chunk(&b, count_rows, threads, meter));
    dl_parallel(threads, index->tables, add_up, &b);
    DL_TRY(each_chunk(&b, place_rows, threads, meter));
    dl_parallel(threads, index->tables, move_back, &b);
done:
    return status;
}

dltf_status dltf_index_add_tables(dltf_index *index, int64_t threads, dltf_progress_fn progress,
                                  void *context) {
    DL_REQUIRE(index);
    DL_REQUIRE_THREADS(threads);
    int64_t tables = dl_index_tables(index->rows, index->width);
    if (index->tables > 0)
        return DLTF_OK;
    if (index->width > DL_INDEX_MAX_BYTES)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATABASE,
                             "codes have %lld bits: multi-index hashing supports at most %d",
                             (long long)(8 * index->width), 8 * DL_INDEX_MAX_BYTES);
    if (tables == 0)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATABASE,
                             "has %lld codes: multi-index hashing supports at most %lld",
                             (long long)index->rows, (long long)UINT32_MAX);
    uint8_t *block = dl_alloc(dl_index_place(index, tables, NULL), 1);
    dltf_status status = DLTF_MEMORY;
    if (block) {
        dl_index_place(index, tables, block);
        dl_meter meter = dl_meter_new("indexing", progress, context, 2 * index->rows);
        status = build(index, dl_thread_count(threads), &meter);
    }
    if (status != DLTF_OK) {
        dl_index_place(index, 0, NULL);
        dl_free(block);
        return status;
    }
    index->built = block;
    return DLTF_OK;
}
