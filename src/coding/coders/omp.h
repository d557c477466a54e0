/* Batch orthogonal matching pursuit (Rubinstein, Zibulevsky, Elad 2008): for each sample
 *
 *     min ||x - Wz||^2  s.t. ||z||_0 <= k, or the fewest entries with ||x - Wz||^2 <= error
 *
 * greedily: the atom with the largest |<w_j, residual>| joins the support, least squares on it gives the
 * values. Works on scores and the Gram matrix alone. */
#ifndef DL_CODING_CODERS_OMP_H
#define DL_CODING_CODERS_OMP_H

#include "coding/feature.h"

/* What rounding leaves of a score, relative to the sample: no atom with less is chosen. */
#define DL_OMP_ROUNDING 1e-6
/* Of ||x||^2: what f32 scores may make of the energy that is left. A code that ends early keeps the target.
 */
#define DL_OMP_ERROR_ROUNDING 1e-6

typedef struct dl_omp {
    const dl_packed *W; /* the dictionary, unit-norm atoms */
    const float *G;     /* W^T W, m x m */
    int64_t k;
    double error; /* 0: always k entries, if that many reduce the error */
} dl_omp;

/* For steps that are made several at a time (omp_ahead.h). */
typedef struct dl_omp_ahead_space {
    int64_t room;         /* k, padded */
    float *D, *L;         /* room x m, padded; k x room */
    float *alpha, *after; /* scores before and after the steps */
    int32_t *place;       /* m: where an atom is in the list, or -1 */
    uint32_t *keys;       /* m */
    dl_listed list;
    int64_t wanted; /* atoms that the list must hold */
    int64_t rest;   /* samples to code one step at a time */
} dl_omp_ahead_space;

/* Work space of one thread. */
typedef struct dl_omp_space {
    float *scores;    /* dl_score_rows(m) x m */
    float *D;         /* k x m: W^T q_t for the orthonormal directions q_t found so far */
    float *L;         /* k x k: W_S = Q L^T, below the diagonal */
    double *norm, *c; /* k: the diagonal of L; <q_t, x> */
    int32_t *support; /* k, in the order of choice */
    int32_t *place;   /* m zeros */
    bool looks_ahead;
    dl_omp_ahead_space ahead; /* if it does */
} dl_omp_space;

dltf_status dl_omp_space_alloc(dl_omp_space *space, int64_t m, int64_t k);
/* For tiles of at most dl_score_rows(m) samples, `rows`. */
dltf_status dl_omp_space_alloc_rows(dl_omp_space *space, int64_t rows, int64_t m, int64_t k);
void dl_omp_space_free(dl_omp_space *space);

/* Codes of samples `x_stride` apart. O(rows (mn + k^2 m / 2)). */
void dl_omp_tile(const dl_omp *omp, const float *X, int64_t x_stride, int64_t rows, dl_omp_space *space,
                 dl_slots out);

#endif
