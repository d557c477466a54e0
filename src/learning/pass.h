/* A pass: all samples, block by block, tile by tile, through one step of an iteration. */
#ifndef DL_LEARNING_PASS_H
#define DL_LEARNING_PASS_H

#include "base/parallel.h"
#include "learning/learner.h"

typedef struct dl_pass {
    dltf_learner *l;
    dl_z_problem problem;
    double gamma;         /* lambda / beta */
    const int64_t *order; /* which samples: order[0 .. count-1], or NULL for 0 .. count-1 */
    int64_t count;
    int64_t first, rows; /* the block: its first sample and how many */
} dl_pass;

/* One tile of the block, as a tile function sees it. */
typedef struct dl_tile {
    int64_t first, rows; /* within all samples of the pass */
    float *X;            /* rows x n, loaded */
    dl_slots Z;          /* its codes within l->Z */
    dl_z_space *space;
} dl_tile;

/* A pass over all samples at the current dictionary. */
dl_pass dl_pass_make(dltf_learner *l, double theta, double beta);

/* Samples in the blocks of a pass over `count`: as many as DL_BLOCK allows, in blocks of about the same size,
 * so that the last one is as good a sample of the data as the others. */
int64_t dl_pass_block(int64_t count);

/* Runs `tile` over all blocks; after each, in order, `after` (or NULL). */
void dl_pass_run(dl_pass *pass, dl_task tile, void (*after)(dl_pass *));

/* What a tile function calls first: loads its samples and finds its memory. Codes are kept per sample in
 * stage 3, per block before. */
dl_tile dl_pass_tile(const dl_pass *pass, int64_t tile, int worker);

#endif
