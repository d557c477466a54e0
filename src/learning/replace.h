/* Replacement of unused and duplicate atoms. */
#ifndef DL_LEARNING_REPLACE_H
#define DL_LEARNING_REPLACE_H

#include "base/random.h"
#include "base/status.h"

/* Work space for m atoms of n entries and up to `samples` samples. */
typedef struct dl_replace_space {
    int32_t *atoms;   /* m: indices of the atoms found, ascending */
    double *row;      /* m: a row of the Gram matrix, if that is not given */
    double *squares;  /* squared norm of each residual */
    double *residual; /* n */
} dl_replace_space;

dltf_status dl_replace_space_alloc(dl_replace_space *space, int64_t m, int64_t n, int64_t samples);
void dl_replace_space_free(dl_replace_space *space);

typedef struct dl_replacement {
    /* The dictionary. */
    int64_t m, n;
    double *W;         /* m x n, unit-norm rows */
    const double *G;   /* m x m Gram matrix; NULL: computed row by row */
    const double *use; /* m: number of codes that contain the atom */

    /* An atom is unused if it is in no code, or in fewer than either of these; two atoms with |<w_i, w_j>|
     * above `coherence` are duplicates. */
    double min_use, min_share; /* codes; share of the mean use */
    double coherence;

    /* `residual` writes the residual of sample i to r and returns its squared norm. */
    int64_t samples;
    double (*residual)(void *context, int64_t i, double *r);
    void *context;
    double min_square;       /* residuals must have a larger squared norm to replace an atom */
    const dl_random *random; /* if none has: Gaussian directions, n numbers per atom from `first` on; NULL:
                                keep the atom */
    uint64_t first;
} dl_replacement;

/* Finds unused atoms and the less used of duplicates (at equal use the one with the higher index): one of
 * them always stays. Writes their indices to `space` and returns their number. */
int64_t dl_replace_find(const dl_replacement *replacement, dl_replace_space *space);

/* Finds them and replaces them by the largest residuals, normalised. */
int64_t dl_replace_atoms(const dl_replacement *replacement, dl_replace_space *space);

/* Residuals stored as rows of floats. */
typedef struct dl_residual_rows {
    const float *R; /* samples x n */
    int64_t n;
} dl_residual_rows;

/* A `residual` callback whose context is a dl_residual_rows. */
double dl_residual_row(void *context, int64_t i, double *r);

#endif
