/* A pass: all samples, or some of them, block by block and tile by tile through one step of an iteration.
 * Blocks and tiles have fixed sizes, so that results do not depend on the number of threads. */
#ifndef DL_LEARNING_PASS_H
#define DL_LEARNING_PASS_H

#include "base/parallel.h"
#include "coding/feature.h"
#include "learning/learner.h"

/* Samples whose codes and statistics are computed together: large enough to keep all threads busy between two
 * barriers, small enough for the last-level cache. */
enum { DL_BLOCK = 42 * DL_TILE };

/* One block of samples with its codes. */
typedef struct dl_block {
    float *X;    /* up to DL_BLOCK x n */
    double *row; /* threads x n: work space of loading */
    dl_slots Z;
    int64_t rows; /* samples in it now */
} dl_block;

dltf_status dl_block_alloc(dl_block *block, const dltf_learner *l);
void dl_block_free(dl_block *block);
double dl_block_bytes(const dltf_learner *l);

typedef struct dl_pass {
    const dltf_learner *l;
    dl_block *block;
    void *state;          /* of the stage, for its tile functions */
    const int64_t *order; /* which samples: order[0 .. count-1], or NULL for 0 .. count-1 */
    int64_t count;
    int64_t first; /* of the current block, within the samples of the pass */
} dl_pass;

/* One tile of the block, as a tile function sees it. */
typedef struct dl_tile {
    int64_t first, rows; /* within the samples of the pass */
    float *X;            /* rows x n, loaded */
    dl_slots Z;          /* its codes within the block */
} dl_tile;

/* Samples per block of a pass over `count`: as many as DL_BLOCK allows, in blocks of about the same size, so
 * that the last one is as good a sample of the data as the others. */
int64_t dl_pass_block(int64_t count);

/* Runs `tile` over all blocks; after each, in order, `after`. */
void dl_pass_run(dl_pass *pass, dl_task tile, void (*after)(dl_pass *));

/* Loads the samples of a tile and finds its memory: the first thing that a tile function does. */
dl_tile dl_pass_tile(const dl_pass *pass, int64_t tile, int worker);

#endif
