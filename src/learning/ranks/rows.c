/* Rows of a dictionary that is divided among ranks. */
#include "learning/ranks/rows.h"

#include "base/memory.h"
#include "comm/comm.h"
#include "learning/ranks/atoms.h"

#include <string.h>

dltf_status dl_rank_rows_alloc(dl_rank_rows *rows, int64_t m, int64_t n, int64_t entries) {
    dltf_status status = DLTF_OK;
    *rows = (dl_rank_rows){.m = m, .n = n};
    DL_TRY_NEW(rows->all, entries * n);
    DL_TRY_NEW(rows->place, entries);
    DL_TRY_NEW(rows->counts, dl_comm_size());
    DL_TRY_NEW(rows->next, dl_comm_size());
done:
    return status; /* the caller frees partial allocations */
}

void dl_rank_rows_free(dl_rank_rows *rows) {
    dl_free(rows->all);
    dl_free(rows->place);
    dl_free(rows->counts);
    dl_free(rows->next);
}

/* Indices of a code ascend: `rank` is the owner of the entry before. */
static int owner_of(const dl_rank_rows *rows, int rank, int32_t atom) {
    while (dl_atoms_first(rows->m, rank + 1) <= atom)
        rank++;
    return rank;
}

static void count_rows(dl_rank_rows *rows, dl_slots Z) {
    memset(rows->counts, 0, (size_t)dl_comm_size() * sizeof *rows->counts);
    for (int64_t i = 0; i < Z.rows; i++)
        for (int32_t e = 0, rank = 0; e < Z.count[i]; e++)
            rows->counts[rank = owner_of(rows, rank, Z.index[i * Z.k + e])]++;
    rows->next[0] = 0;
    for (int r = 1; r < dl_comm_size(); r++)
        rows->next[r] = rows->next[r - 1] + rows->counts[r - 1];
}

void dl_rank_rows_collect(dl_rank_rows *rows, dl_slots Z, const float *W, int64_t first) {
    int64_t n = rows->n;
    count_rows(rows, Z);
    for (int64_t i = 0; i < Z.rows; i++)
        for (int32_t e = 0, rank = 0; e < Z.count[i]; e++) {
            int32_t atom = Z.index[i * Z.k + e];
            rank = owner_of(rows, rank, atom);
            int64_t place = rows->next[rank]++;
            rows->place[i * Z.k + e] = (int32_t)place;
            if (rank == dl_comm_rank())
                memcpy(rows->all + place * n, W + (atom - first) * n, (size_t)n * sizeof *W);
        }
    dl_comm_gather_all(NULL, rows->counts, n * (int64_t)sizeof *W, rows->all);
}
