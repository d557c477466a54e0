/* Selection among the candidates of threads and of ranks. */
#include "learning/ranks/codes.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "comm/comm.h"

#include <string.h>

/* ---- One sample ---- */

dltf_status dl_merges_alloc(int threads, int64_t candidates, int64_t k, dl_merge **merges) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(*merges, threads);
    for (int t = 0; t < threads; t++) {
        dl_merge *merge = &(*merges)[t];
        DL_TRY_NEW(merge->index, candidates);
        DL_TRY_NEW(merge->value, candidates);
        DL_TRY_NEW(merge->keys, candidates);
        DL_TRY_NEW(merge->position, k);
    }
done:
    return status; /* the caller frees partial allocations */
}

void dl_merges_free(dl_merge *merges, int threads) {
    for (int t = 0; merges && t < threads; t++) {
        dl_free(merges[t].index);
        dl_free(merges[t].value);
        dl_free(merges[t].keys);
        dl_free(merges[t].position);
    }
    dl_free(merges);
}

void dl_merge_add(dl_merge *merge, dl_slots found, int32_t first) {
    for (int32_t e = 0; e < found.count[0]; e++, merge->count++) {
        merge->index[merge->count] = first + found.index[e];
        merge->value[merge->count] = found.value[e];
    }
}

void dl_merge_select(dl_merge *merge, bool positive, dl_slots code) {
    dl_kernels_now()->select(merge->value, merge->count, 1, merge->count, code.k, positive, merge->keys,
                             code.count, merge->position, code.value);
    for (int32_t e = 0; e < code.count[0]; e++)
        code.index[e] = merge->index[merge->position[e]];
}

/* ---- All ranks ---- */

dltf_status dl_rank_codes_alloc(dl_rank_codes *c, int threads, int64_t room, int64_t k) {
    dltf_status status = DLTF_OK;
    int64_t record = (1 + 2 * k) * (int64_t)sizeof(int32_t), ranks = dl_comm_size();
    int64_t slice = dl_tiles(room, ranks);
    *c = (dl_rank_codes){.threads = threads, .k = k, .record = record};
    DL_TRY_NEW(c->sent, room * record);
    DL_TRY_NEW(c->received, ranks * slice * record);
    DL_TRY_NEW(c->slices, ranks);
    DL_TRY_NEW(c->own, ranks);
    DL_TRY(dl_merges_alloc(threads, ranks * k, k, &c->merges));
done:
    return status; /* the caller frees partial allocations */
}

void dl_rank_codes_free(dl_rank_codes *c) {
    dl_free(c->sent);
    dl_free(c->received);
    dl_free(c->slices);
    dl_free(c->own);
    dl_merges_free(c->merges, c->threads);
}

/* A record as the code that it is: count, indices, values. */
static dl_slots code_in(const dl_rank_codes *c, uint8_t *records, int64_t i) {
    int32_t *count = (int32_t *)(void *)(records + i * c->record);
    return (dl_slots){1, c->k, count, count + 1, (float *)(void *)(count + 1 + c->k)};
}

static void copy_code(dl_slots to, dl_slots from) {
    *to.count = *from.count;
    memcpy(to.index, from.index, (size_t)*from.count * sizeof *to.index);
    memcpy(to.value, from.value, (size_t)*from.count * sizeof *to.value);
}

typedef struct selection {
    dl_rank_codes *c;
    int64_t first; /* of the samples of this rank */
    bool positive;
} selection;

static void select_sample(void *context, int64_t i, int worker) {
    const selection *s = context;
    dl_rank_codes *c = s->c;
    c->merges[worker].count = 0;
    for (int r = 0; r < dl_comm_size(); r++)
        dl_merge_add(&c->merges[worker], code_in(c, c->received, r * c->own[0] + i), 0);
    dl_merge_select(&c->merges[worker], s->positive, code_in(c, c->sent, s->first + i));
}

void dl_rank_codes_select(dl_rank_codes *c, dl_slots mine, bool positive, dl_slots codes) {
    int ranks = dl_comm_size(), rank = dl_comm_rank();
    int64_t first = dl_comm_first(mine.rows, rank);
    for (int r = 0; r < ranks; r++) {
        c->slices[r] = dl_comm_first(mine.rows, r + 1) - dl_comm_first(mine.rows, r);
        c->own[r] = dl_comm_first(mine.rows, rank + 1) - first;
    }
    for (int64_t i = 0; i < mine.rows; i++)
        copy_code(code_in(c, c->sent, i), dl_slots_from(&mine, i, 1));
    dl_comm_exchange(c->sent, c->slices, c->record, c->received, c->own);
    if (dl_comm_status() != DLTF_OK)
        return;
    selection s = {c, first, positive};
    dl_parallel(c->threads, c->own[0], select_sample, &s);
    dl_comm_gather_all(NULL, c->slices, c->record, c->sent);
    if (dl_comm_status() != DLTF_OK)
        return;
    for (int64_t i = 0; i < mine.rows; i++)
        copy_code(dl_slots_from(&codes, i, 1), code_in(c, c->sent, i));
}
