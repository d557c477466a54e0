/* Features of very large dictionaries: candidates from a product of integers of 16 bits, then exact scores of
 * these few. The codes are bitwise the same as without the filter. */
#ifndef DL_CODING_PREFILTER_H
#define DL_CODING_PREFILTER_H

#include "coding/feature.h"
#include "data/model.h"

/* What bounds the error of approximate scores, over some atoms: the largest ||e_j||, ||e_j - e16_j||, |b_j|
 * and unit of e16_j. */
typedef struct dl_prefilter_bounds {
    double norm, lost, bias, scale;
} dl_prefilter_bounds;

struct dl_prefilter {
    dl_packed16 E16;
    const float *E; /* m x n, rows are atoms; borrowed */
    dl_prefilter_bounds bounds;
};

/* Whether the filter is faster: the CPU has such products, and the dictionary is large. */
bool dl_prefilter_pays(int64_t m, int64_t n, int64_t k);

/* The filter of a model's encoder, which the model keeps. */
dltf_status dl_prefilter_derive(const dltf_model *model, const dl_prefilter **filter);

/* For the score matrix E whose packed form is `packed`. */
dltf_status dl_prefilter_make(const float *E, const dl_packed *packed, dl_prefilter *filter);
void dl_prefilter_free(dl_prefilter *filter);

/* Sets up to DL_ROWS16 rows from row j on, a multiple of it, from E and from `bias`, the initial scores of
 * dl_packed, and returns their bounds; `work` holds DL_ROWS16 rows of n + 1. */
dl_prefilter_bounds dl_prefilter_set(dl_prefilter *filter, int64_t j, const float *bias, int16_t *work);
dl_prefilter_bounds dl_prefilter_join(dl_prefilter_bounds a, dl_prefilter_bounds b);

/* Work space of one thread: the candidates of each sample of a tile, of at most `rows`. */
struct dl_prefilter_space {
    int16_t *X16;             /* rows x pairs x 2 */
    float scale[DL_TILE];     /* units of X16 */
    dl_candidates hits;       /* lists of the samples of a tile */
    int32_t *position;        /* room */
    uint32_t *keys;           /* room */
    int64_t settled[DL_TILE]; /* length of the list when `weakest` was found */
    uint32_t cut[DL_TILE];
    double margin[DL_TILE];  /* twice the largest error of a score; infinite: the sample is not filtered */
    double weakest[DL_TILE]; /* k-th largest approximate magnitude so far; 0 while there are fewer */
};

dltf_status dl_prefilter_space_alloc(int64_t rows, int64_t n, int64_t k, dl_prefilter_space **space);
void dl_prefilter_space_free(dl_prefilter_space *space);

/* z = max_k(X E^T - b) with feature->filter, which needs no packed entries, only biases. count[i] = -1: the
 * filter does not settle sample i. */
void dl_prefilter_try(const dl_feature *feature, const float *X, int64_t x_stride, int64_t rows,
                      dl_workspace *space, dl_slots out);
/* The same for all samples. */
void dl_prefilter_tile(const dl_feature *feature, const float *X, int64_t x_stride, int64_t rows,
                       dl_workspace *space, dl_slots out);

#endif
