/* Passes over the samples. */
#include "learning/pass.h"

#include "base/integer.h"
#include "base/memory.h"
#include "comm/comm.h"

static int64_t block_rows(const dltf_learner *l) {
    return l->N < DL_BLOCK ? l->N : DL_BLOCK;
}

dltf_status dl_block_alloc(dl_block *block, const dltf_learner *l) {
    dltf_status status = DLTF_OK;
    *block = (dl_block){0};
    DL_TRY_NEW(block->X, block_rows(l) * l->n);
    DL_TRY_NEW(block->row, l->threads * dl_apart(l->n));
    DL_TRY(dl_slots_alloc(&block->Z, block_rows(l), l->k));
    DL_TRY(dl_rank_batch_alloc(&block->share, block_rows(l), (l->n + 2 * l->k + 1) * (int64_t)sizeof(float)));
done:
    return status; /* the caller frees partial allocations */
}

void dl_block_free(dl_block *block) {
    dl_free(block->X);
    dl_free(block->row);
    dl_slots_free(&block->Z);
    dl_rank_batch_free(&block->share);
}

double dl_block_bytes(const dltf_learner *l) {
    return (double)block_rows(l) * (4 * (double)l->n + 8 * (double)l->k);
}

int64_t dl_pass_block(int64_t count) {
    int64_t blocks = dl_tiles(count, DL_BLOCK);
    return DL_TILE * dl_tiles(dl_tiles(count, blocks), DL_TILE);
}

static int owner_in_order(const void *context, int64_t i) {
    const dl_pass *pass = context;
    return dl_learner_owner(pass->l, pass->order[pass->first + i]);
}

static bool run_block(dl_pass *pass, dl_task tile) {
    return dl_parallel_polled(pass->l->threads, dl_tiles(pass->block->rows, DL_TILE), tile, pass);
}

static bool run_ordered(dl_pass *pass, dl_task tile, void (*after)(dl_pass *)) {
    int64_t size = dl_pass_block(pass->count);
    dl_rank_batch *share = &pass->block->share;
    for (pass->first = 0; pass->first < pass->count; pass->first += size) {
        dl_rank_batch_divide(share, dl_min(size, pass->count - pass->first), owner_in_order, pass);
        pass->block->rows = share->own;
        if (!run_block(pass, tile))
            return false;
        after(pass);
    }
    return true;
}

/* Blocks are cut from parts (ranks/sum.h), which do not depend on the number of ranks. */
static bool run_own(dl_pass *pass, dl_task tile, void (*after)(dl_pass *)) {
    const dltf_learner *l = pass->l;
    dl_rank_sum_clear(pass->fold);
    for (int64_t part = 0; part < dl_rank_sum_parts(l); part++) {
        int64_t end = dl_rank_sum_first(l, part + 1) - l->first;
        pass->first = dl_rank_sum_first(l, part) - l->first;
        for (int64_t size = dl_pass_block(end - pass->first); pass->first < end; pass->first += size) {
            pass->block->rows = dl_min(size, end - pass->first);
            dl_learner_expect(l, l->first + pass->first + size, size);
            if (!run_block(pass, tile))
                return false;
            after(pass);
        }
        dl_rank_sum_next(pass->fold);
    }
    dl_rank_sum_finish(pass->fold);
    return true;
}

bool dl_pass_run(dl_pass *pass, dl_task tile, void (*after)(dl_pass *)) {
    return pass->order ? run_ordered(pass, tile, after) : run_own(pass, tile, after);
}

static void exchange(dl_block *block, int64_t n) {
    int64_t size = sizeof(float), k = block->Z.k;
    const dl_rank_column columns[] = {{block->X, n * size},
                                      {block->Z.count, sizeof *block->Z.count},
                                      {block->Z.index, k * size},
                                      {block->Z.value, k * size}};
    dl_rank_batch_exchange(&block->share, columns, sizeof columns / sizeof *columns);
    block->rows = block->share.rows;
}

void dl_pass_collect(dl_pass *pass) {
    exchange(pass->block, pass->l->n);
}

static int owner_of_last(const void *context, int64_t i) {
    (void)context;
    (void)i;
    return dl_comm_size() - 1;
}

void dl_pass_collect_last(dl_pass *pass) {
    int64_t rows = pass->l->N - dl_rank_sum_first_of_last(pass->l), size = dl_pass_block(rows);
    dl_rank_batch_divide(&pass->block->share, rows - (rows - 1) / size * size, owner_of_last, NULL);
    exchange(pass->block, pass->l->n);
}

dl_tile dl_pass_tile(const dl_pass *pass, int64_t tile, int worker) {
    const dltf_learner *l = pass->l;
    dl_block *block = pass->block;
    int64_t start = tile * DL_TILE, left = block->rows - start;
    dl_tile t = {
        .first = pass->first + start, .rows = left < DL_TILE ? left : DL_TILE, .X = block->X + start * l->n};
    t.Z = dl_slots_from(&block->Z, start, t.rows);
    for (int64_t i = 0; i < t.rows; i++) {
        int64_t sample = pass->order
                             ? pass->order[pass->first + dl_rank_batch_place(&block->share, start + i)]
                             : l->first + t.first + i;
        dl_samples_row(&l->samples, dl_holdout_training(&l->holdout, sample),
                       block->row + worker * dl_apart(l->n), t.X + i * l->n);
    }
    return t;
}
