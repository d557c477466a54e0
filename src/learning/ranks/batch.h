/* A batch that ranks compute together: each works on the rows of its own samples, then all have all rows.
 * With one rank nothing is copied. */
#ifndef DL_LEARNING_RANKS_BATCH_H
#define DL_LEARNING_RANKS_BATCH_H

#include "base/status.h"

typedef struct dl_rank_batch {
    int64_t rows;             /* of the batch */
    int64_t own;              /* of this rank: the first ones of every column until they are exchanged */
    int64_t *places;          /* rows: places in the batch, those of rank 0 first, ascending for each rank */
    int64_t *mine;            /* those of this rank */
    int64_t *counts;          /* of each rank */
    int32_t *owners;          /* rows: ranks; all of these are NULL with one rank */
    uint8_t *sent, *received; /* records: the rows of all columns side by side */
    int64_t record;           /* bytes */
} dl_rank_batch;

/* For batches of up to `room` rows that have `record` bytes in all columns together. */
dltf_status dl_rank_batch_alloc(dl_rank_batch *share, int64_t room, int64_t record);
void dl_rank_batch_free(dl_rank_batch *share);

/* Begins a batch. Row i belongs to rank owner(context, i). */
void dl_rank_batch_divide(dl_rank_batch *share, int64_t rows, int (*owner)(const void *context, int64_t i),
                          const void *context);

/* The place in the batch of the i-th own row. */
static inline int64_t dl_rank_batch_place(const dl_rank_batch *share, int64_t i) {
    return share->mine ? share->mine[i] : i;
}

/* An array with a row of so many bytes for every row of the batch. */
typedef struct dl_rank_column {
    void *rows;
    int64_t bytes;
} dl_rank_column;

/* Sends the own rows to all ranks and puts all rows in their places. */
void dl_rank_batch_exchange(dl_rank_batch *share, const dl_rank_column *columns, int count);

#endif
