/* Orthogonal matching pursuit on dictionaries whose Gram matrix is too large: the atom of each step is the
 * best score of the residual, by a product for all samples of a tile together. The choices of
 * coding/coders/omp.h.
 */
#ifndef DL_CODING_CODERS_OMP_LARGE_H
#define DL_CODING_CODERS_OMP_LARGE_H

#include "coding/feature.h"

typedef struct dl_omp_large {
    const float *dictionary; /* m x n, unit-norm atoms */
    const dl_packed *W;      /* the same, packed */
    int64_t k;
    double error; /* 0: always k entries, where that many lower the error */
} dl_omp_large;

/* Work space of one thread. */
typedef struct dl_omp_large_space {
    float *R;         /* residuals of the samples that are not finished, rows x n */
    double *residual; /* n */
    double *refit;    /* dl_refit_scratch(k, n) */
    double *energy;   /* rows: ||x||^2 */
    int32_t *active;  /* rows: which samples these are */
    dl_slots best;    /* rows x 1 */
} dl_omp_large_space;

/* For tiles of at most `rows` samples. */
dltf_status dl_omp_large_space_alloc(dl_omp_large_space *space, int64_t rows, int64_t n, int64_t k);
void dl_omp_large_space_free(dl_omp_large_space *space);

/* Codes of samples `x_stride` apart. O(rows (k m n + k^3 n)). */
void dl_omp_large_tile(const dl_omp_large *omp, const float *X, int64_t x_stride, int64_t rows,
                       dl_omp_large_space *space, dl_workspace *scores, dl_slots out);

#endif
