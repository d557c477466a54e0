/* The K-SVD update of one atom. */
#ifndef DL_LEARNING_STAGES_RANK_ONE_H
#define DL_LEARNING_STAGES_RANK_ONE_H

#include "coding/by_atom.h"

/* Maximum number of power iterations: one gives the approximate update (Rubinstein et al. 2008); the exact
 * update stops early on convergence. */
enum { DL_RANK_ONE_APPROXIMATE = 1, DL_RANK_ONE_EXACT = 50 };

/* Work space for atoms of n entries in up to `samples` codes. */
typedef struct dl_rank_one {
    int threads;
    int64_t n;
    int32_t *row;  /* samples that use the atom */
    float *z;      /* their coefficients */
    float *narrow; /* n: the atom in f32 */
    double *v;     /* n per block of samples: E z */
    double *sums;  /* ||z||^2 of each block */
} dl_rank_one;

/* At most INT32_MAX samples. */
dltf_status dl_rank_one_alloc(dl_rank_one *space, int threads, int64_t n, int64_t samples);
void dl_rank_one_free(dl_rank_one *space);

/* Replaces an atom and its coefficients by the best rank-one fit to the samples that use it:
 *
 *     min ||E - w z||^2,  E the columns of R + w z that use the atom
 *
 * by power iteration from the current coefficients: w <- Ez/||Ez||, z <- E^T w, at most `steps` times. No
 * step raises the error. Updates w (n, norm 1), its values in Z and the residuals R = X - WZ (samples x n).
 * An atom without entries, or with Ez = 0, is unchanged. O(steps entries n); the result does not depend on
 * the number of threads. */
void dl_rank_one_update(dl_rank_one *space, int steps, float *R, dl_slots Z, dl_atom_entries entries,
                        double *w);

#endif
