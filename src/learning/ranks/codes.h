/* Codes of samples whose atoms are divided among ranks. The k best of all atoms are among the k best of every
 * rank. Each rank selects for some of the samples, which costs less than selecting for all on every rank;
 * then all ranks have all codes. */
#ifndef DL_LEARNING_RANKS_CODES_H
#define DL_LEARNING_RANKS_CODES_H

#include "coding/feature.h"

/* Work space of one thread: the candidates of a sample. */
typedef struct dl_merge {
    int32_t *index, *position; /* candidates, k */
    float *value;              /* candidates */
    uint32_t *keys;            /* candidates */
    int64_t count;
} dl_merge;

dltf_status dl_merges_alloc(int threads, int64_t candidates, int64_t k, dl_merge **merges);
void dl_merges_free(dl_merge *merges, int threads);

/* Adds candidates, whose atoms are counted from `first`. They must come in the order of the atoms, so that
 * ties go to the lowest index. */
void dl_merge_add(dl_merge *merge, dl_slots found, int32_t first);
/* The k best of those so far; the caller sets count = 0 for another sample. */
void dl_merge_select(dl_merge *merge, bool positive, dl_slots code);

typedef struct dl_rank_codes {
    int threads;
    int64_t k, record;        /* record: bytes of a code */
    uint8_t *sent, *received; /* room records */
    int64_t *slices, *own;    /* samples of each rank; those of this rank, from each rank */
    dl_merge *merges;
} dl_rank_codes;

/* For up to `room` samples at a time. */
dltf_status dl_rank_codes_alloc(dl_rank_codes *c, int threads, int64_t room, int64_t k);
void dl_rank_codes_free(dl_rank_codes *c);

/* The k best of the candidates of all ranks. `mine`: those of this rank, at most k for each sample, with the
 * indices that atoms have among all. */
void dl_rank_codes_select(dl_rank_codes *c, dl_slots mine, bool positive, dl_slots codes);

#endif
