/* Rows of the dictionary that codes name, from the ranks that have them. */
#ifndef DL_LEARNING_RANKS_ROWS_H
#define DL_LEARNING_RANKS_ROWS_H

#include "coding/feature.h"

typedef struct dl_rank_rows {
    int64_t m, n;
    float *all;             /* entries x n: rows of all ranks, those of rank 0 first */
    int32_t *place;         /* of the row of each entry of the codes, at most `entries` of them */
    int64_t *counts, *next; /* rows of each rank; the next place among them */
} dl_rank_rows;

/* For codes of up to `entries` entries at a time: rows times k. */
dltf_status dl_rank_rows_alloc(dl_rank_rows *rows, int64_t m, int64_t n, int64_t entries);
void dl_rank_rows_free(dl_rank_rows *rows);

/* Collects a row for every entry of the codes; afterwards that of entry e, in the order of Z.index, is
 * all + place[e] * n. `W`: the rows of this rank, whose first is that of atom `first`. */
void dl_rank_rows_collect(dl_rank_rows *rows, dl_slots Z, const float *W, int64_t first);

#endif
