/* Batches that ranks compute together. */
#include "learning/ranks/batch.h"

#include "base/memory.h"
#include "comm/comm.h"

#include <string.h>

dltf_status dl_rank_batch_alloc(dl_rank_batch *share, int64_t room, int64_t record) {
    dltf_status status = DLTF_OK;
    *share = (dl_rank_batch){.record = record};
    if (dl_comm_size() == 1)
        return DLTF_OK;
    DL_TRY_NEW(share->places, room);
    DL_TRY_NEW(share->counts, dl_comm_size());
    DL_TRY_NEW(share->owners, room);
    DL_TRY_NEW(share->sent, room * record);
    DL_TRY_NEW(share->received, room * record);
done:
    return status; /* the caller frees partial allocations */
}

void dl_rank_batch_free(dl_rank_batch *share) {
    dl_free(share->places);
    dl_free(share->counts);
    dl_free(share->owners);
    dl_free(share->sent);
    dl_free(share->received);
}

void dl_rank_batch_divide(dl_rank_batch *share, int64_t rows, int (*owner)(const void *context, int64_t i),
                          const void *context) {
    int64_t next = 0;
    share->rows = share->own = rows;
    if (!share->counts)
        return;
    int ranks = dl_comm_size();
    memset(share->counts, 0, (size_t)ranks * sizeof *share->counts);
    for (int64_t i = 0; i < rows; i++)
        share->counts[share->owners[i] = owner(context, i)]++;
    /* counts[r] as the place where rank r continues: afterwards the end of its places */
    for (int r = 0; r < ranks; r++) {
        int64_t count = share->counts[r];
        share->counts[r] = next;
        next += count;
    }
    for (int64_t i = 0; i < rows; i++)
        share->places[share->counts[share->owners[i]]++] = i;
    for (int r = ranks - 1; r > 0; r--)
        share->counts[r] -= share->counts[r - 1];
    share->own = share->counts[dl_comm_rank()];
    share->mine = share->places;
    for (int r = 0; r < dl_comm_rank(); r++)
        share->mine += share->counts[r];
}

void dl_rank_batch_exchange(dl_rank_batch *share, const dl_rank_column *columns, int count) {
    if (!share->counts)
        return;
    int64_t first = 0;
    for (int c = 0; c < count; c++) {
        for (int64_t i = 0; i < share->own; i++)
            memcpy(share->sent + i * share->record + first, (char *)columns[c].rows + i * columns[c].bytes,
                   (size_t)columns[c].bytes);
        first += columns[c].bytes;
    }
    dl_comm_gather_all(share->sent, share->counts, share->record, share->received);
    first = 0;
    for (int c = 0; c < count; c++) {
        for (int64_t i = 0; i < share->rows; i++)
            memcpy((char *)columns[c].rows + share->places[i] * columns[c].bytes,
                   share->received + i * share->record + first, (size_t)columns[c].bytes);
        first += columns[c].bytes;
    }
}
