/* Unused and duplicate atoms, and what replaces them. */
#ifndef DL_LEARNING_REPLACE_H
#define DL_LEARNING_REPLACE_H

#include "base/random.h"
#include "base/status.h"

/* Work space for m atoms of n entries and up to `samples` samples. */
typedef struct dl_replace_space {
    int32_t *atoms;   /* m: those that were found, ascending */
    double *row;      /* m: of the Gram matrix; not needed where that is given */
    double *squares;  /* of the residuals of the samples */
    double *residual; /* n */
} dl_replace_space;

dltf_status dl_replace_space_alloc(dl_replace_space *space, int64_t m, int64_t n, int64_t samples);
void dl_replace_space_free(dl_replace_space *space);

typedef struct dl_replacement {
    /* The dictionary. */
    int64_t m, n;
    double *W;         /* m x n, unit-norm rows */
    const double *G;   /* m x m, its Gram matrix; NULL: computed row by row */
    const double *use; /* m: how many codes have the atom */

    /* An atom is unused if it is in fewer codes than both of these say; two atoms whose |<w_i, w_j>| is above
     * `coherence` are duplicates. */
    double least_use, least_share; /* codes; share of the mean use */
    double coherence;

    /* The samples: `residual` writes that of sample i to r and returns its square. */
    int64_t samples;
    double (*residual)(void *context, int64_t i, double *r);
    void *context;
    double least_square;     /* residuals up to this are not worth an atom */
    const dl_random *random; /* then a Gaussian direction, by n numbers for each atom from `first` on; NULL:
                                the atom stays */
    uint64_t first;
} dl_replacement;

/* Finds unused atoms, and of duplicates the less used, of equals the later: one of them always stays. Their
 * numbers go to `space`; returns how many. */
int64_t dl_replace_find(const dl_replacement *replacement, dl_replace_space *space);

/* Finds them, and puts the largest residuals, scaled to norm 1, in their place. */
int64_t dl_replace_atoms(const dl_replacement *replacement, dl_replace_space *space);

/* Residuals that are there as rows of floats. */
typedef struct dl_residual_rows {
    const float *R; /* samples x n */
    int64_t n;
} dl_residual_rows;

/* The `residual` of a replacement whose context is a dl_residual_rows. */
double dl_residual_row(void *context, int64_t i, double *r);

#endif
