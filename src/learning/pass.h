/* A pass: one walk over all samples or a subset, block by block and tile by tile. Blocks and tiles have fixed
 * sizes, so that results do not depend on the number of threads. */
#ifndef DL_LEARNING_PASS_H
#define DL_LEARNING_PASS_H

#include "base/parallel.h"
#include "coding/feature.h"
#include "learning/ranks/batch.h"
#include "learning/ranks/sum.h"

/* Samples whose codes and statistics are computed together: large enough to keep all threads busy between two
 * barriers, small enough for the last-level cache. */
enum { DL_BLOCK = 42 * DL_TILE };

/* One block of samples with its codes. */
typedef struct dl_block {
    float *X;    /* up to DL_BLOCK x n */
    double *row; /* threads x n: work space for loading */
    dl_slots Z;
    int64_t rows; /* current number of samples */
    dl_rank_batch share;
} dl_block;

dltf_status dl_block_alloc(dl_block *block, const dltf_learner *l);
void dl_block_free(dl_block *block);
double dl_block_bytes(const dltf_learner *l);

typedef struct dl_pass {
    const dltf_learner *l;
    dl_block *block;
    void *state;          /* of the stage, for the tile function */
    const int64_t *order; /* which samples: order[0 .. count-1], or NULL for all, each on its own rank */
    int64_t count;
    int64_t first;     /* of the current block, within the samples of the pass */
    dl_rank_sum *fold; /* without an order: the sums that `after` adds to, complete after the pass */
} dl_pass;

/* One tile of a block, as passed to tile functions. */
typedef struct dl_tile {
    int64_t first, rows; /* first: index within the samples of the pass */
    float *X;            /* rows x n, loaded */
    dl_slots Z;          /* its codes within the block */
} dl_tile;

/* Samples per block of a pass over `count` samples: at most DL_BLOCK, with blocks of about equal size, so
 * that the last one is as representative of the data as the others. */
int64_t dl_pass_block(int64_t count);

/* Runs `tile` on all tiles of a block in parallel, then `after`, block by block in order. With several ranks,
 * a block of a pass with an order consists of those of its samples that belong to this rank, until `after`
 * collects the others. False if the caller of the training cancelled. */
bool dl_pass_run(dl_pass *pass, dl_task tile, void (*after)(dl_pass *));

/* The samples and codes of the current block of all ranks, for `after` of a pass with an order. */
void dl_pass_collect(dl_pass *pass);
/* The same for the last block of a pass without order, after it. */
void dl_pass_collect_last(dl_pass *pass);

/* Loads the samples of a tile. Every tile function starts with this call. */
dl_tile dl_pass_tile(const dl_pass *pass, int64_t tile, int worker);

#endif
