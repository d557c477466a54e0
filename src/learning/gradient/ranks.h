/* The gradient learner on ranks that share the atoms: what they exchange for a batch.
 *
 * Codes go as in ranks/codes.h. For the residuals, each rank adds up the terms of its own atoms, by the
 * largest subtrees that it has, and sends the sums of each sample to one rank, which adds up the tree above
 * them. Every sum of n entries is sent once, and every residual once to each rank. */
#ifndef DL_LEARNING_GRADIENT_RANKS_H
#define DL_LEARNING_GRADIENT_RANKS_H

#include "learning/gradient/gradient.h"
#include "learning/ranks/rows.h"

struct dl_gradient_ranks {
    dl_slots found; /* room: the candidates of this rank */
    dl_rank_codes codes;

    dl_span *own;      /* the largest subtrees of this rank */
    int64_t *counts;   /* subtrees of each rank */
    float *sent;       /* their sums: for the samples of rank 0 those of all subtrees, and so on */
    dl_branches nodes; /* received: the subtrees of all ranks, for the samples of this rank */
    int64_t *slices;   /* samples of each rank */
    int64_t *out, *in; /* sums to and from each rank */

    dl_rank_rows rows;        /* of W, for the refit; none before dl_gradient_ranks_alloc_refit */
    int64_t piece, collected; /* samples whose rows are collected at a time; the first of them */
};

/* Allocates g->ranks. */
dltf_status dl_gradient_ranks_alloc(dl_gradient *g);
dltf_status dl_gradient_ranks_alloc_refit(dl_gradient *g);
void dl_gradient_ranks_free(dl_gradient *g);

/* The residuals of the batch from the sums of the branches of all ranks. */
void dl_gradient_ranks_residuals(dl_gradient *g);

/* Collects the atoms of the codes of samples from `first` on. Returns how many samples: at most `piece`. */
int64_t dl_gradient_ranks_collect(dl_gradient *g, int64_t first);
/* One of these atoms: that of Z.index[entry]. */
static inline const float *dl_gradient_ranks_row(const dl_gradient_ranks *ranks, int64_t entry, int64_t k) {
    return ranks->rows.all + ranks->rows.place[entry - ranks->collected * k] * ranks->rows.n;
}

#endif
