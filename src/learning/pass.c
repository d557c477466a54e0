/* Passes over the samples. */
#include "learning/pass.h"

#include "base/memory.h"

static int64_t block_rows(const dltf_learner *l) {
    return l->N < DL_BLOCK ? l->N : DL_BLOCK;
}

dltf_status dl_block_alloc(dl_block *block, const dltf_learner *l) {
    dltf_status status = DLTF_OK;
    *block = (dl_block){0};
    DL_TRY_NEW(block->X, block_rows(l) * l->n);
    DL_TRY_NEW(block->row, l->threads * l->n);
    DL_TRY(dl_slots_alloc(&block->Z, block_rows(l), l->k));
done:
    return status; /* the caller frees partial allocations */
}

void dl_block_free(dl_block *block) {
    dl_free(block->X);
    dl_free(block->row);
    dl_slots_free(&block->Z);
}

double dl_block_bytes(const dltf_learner *l) {
    return (double)block_rows(l) * (4 * (double)l->n + 8 * (double)l->k);
}

int64_t dl_pass_block(int64_t count) {
    int64_t blocks = dl_tiles(count, DL_BLOCK);
    return DL_TILE * dl_tiles(dl_tiles(count, blocks), DL_TILE);
}

void dl_pass_run(dl_pass *pass, dl_task tile, void (*after)(dl_pass *)) {
    int64_t size = dl_pass_block(pass->count);
    for (pass->first = 0; pass->first < pass->count; pass->first += size) {
        int64_t left = pass->count - pass->first;
        pass->block->rows = left < size ? left : size;
        if (!pass->order)
            dl_learner_expect(pass->l, pass->first + size, size);
        dl_parallel(pass->l->threads, dl_tiles(pass->block->rows, DL_TILE), tile, pass);
        after(pass);
    }
}

dl_tile dl_pass_tile(const dl_pass *pass, int64_t tile, int worker) {
    const dltf_learner *l = pass->l;
    dl_block *block = pass->block;
    int64_t start = tile * DL_TILE, left = block->rows - start;
    dl_tile t = {
        .first = pass->first + start, .rows = left < DL_TILE ? left : DL_TILE, .X = block->X + start * l->n};
    t.Z = dl_slots_from(&block->Z, start, t.rows);
    for (int64_t i = 0; i < t.rows; i++) {
        int64_t sample = pass->order ? pass->order[t.first + i] : t.first + i;
        dl_samples_row(&l->samples, dl_split_training(&l->split, sample), block->row + worker * l->n,
                       t.X + i * l->n);
    }
    return t;
}
