/* Thresholded features of tiles of samples, shared by encoding and learning. */
#ifndef DL_CODING_FEATURE_H
#define DL_CODING_FEATURE_H

#include "base/status.h"
#include "data/samples.h"
#include "kernels/packed.h"

/* Atoms scored at once in large dictionaries: a tile's scores then fit the L2 cache. */
enum { DL_BLOCK_ATOMS = 1024 };

/* Codes of fixed width: sample i has count[i] <= k entries at index + i*k, value + i*k, indices ascending. */
typedef struct dl_slots {
    int64_t rows, k;
    int32_t *count, *index;
    float *value;
} dl_slots;

dltf_status dl_slots_alloc(dl_slots *slots, int64_t rows, int64_t k);
void dl_slots_free(dl_slots *slots);

/* The rows of a larger slots object from `first` on: a view. */
dl_slots dl_slots_from(const dl_slots *slots, int64_t first, int64_t rows);

/* Sorts the entries of one code by atom. Insertion sort: a code has few entries. */
void dl_code_sort(int32_t *index, float *value, int64_t count);

typedef struct dl_prefilter dl_prefilter;
typedef struct dl_prefilter_space dl_prefilter_space;

/* A packed score matrix, and how many scores to keep. Borrows it. */
typedef struct dl_feature {
    const dl_packed *E;
    int64_t k;
    bool positive;
    const float *cut;           /* m: all scores above these, instead of the k best; NULL: none */
    const dl_prefilter *filter; /* see coding/prefilter.h; NULL: none */
} dl_feature;

/* scores = X E^T - b for `rows` samples of n floats, `x_stride` apart; rows x m. */
void dl_score_tile(const dl_packed *E, const float *X, int64_t x_stride, int64_t rows, float *scores);

/* z = max_k(scores), eq. (1) of the paper, row by row; `keys` is work space of m words. */
void dl_threshold_tile(const dl_feature *feature, const float *scores, int64_t rows, uint32_t *keys,
                       dl_slots out);

/* Work space of one thread for whole features of up to m atoms: scores of a tile or, for large m, lists of
 * the best ones. */
typedef struct dl_workspace {
    double *row;           /* n */
    float *X;              /* DL_TILE x n */
    float *scores;         /* DL_TILE x m; NULL for large m */
    dl_candidates hits;    /* for large m: the best scores so far and those of a block above them */
    uint32_t cut[DL_TILE]; /* the key of the k-th best */
    uint32_t *keys;
    int32_t *position;          /* k */
    float *value;               /* k */
    dl_prefilter_space *filter; /* for coders with a filter */
} dl_workspace;

dltf_status dl_workspaces_alloc(int threads, int64_t m, int64_t n, int64_t k, dl_workspace **spaces);
/* The same for at most `rows` samples, of which features of `listed` can be computed at once. */
dltf_status dl_workspaces_alloc_rows(int threads, int64_t rows, int64_t listed, int64_t m, int64_t n,
                                     int64_t k, dl_workspace **spaces);
void dl_workspaces_free(dl_workspace *spaces, int threads);

/* The same for features with cuts, whose codes have up to m entries. */
dltf_status dl_workspaces_alloc_cuts(int threads, int64_t rows, int64_t m, int64_t n, dl_workspace **spaces);

/* Both in one: z = max_k(X E^T - b), or all scores above feature->cut. The scores of a tile stay in the
 * cache; for many atoms only those above the k-th best so far leave the registers. */
void dl_feature_tile(const dl_feature *feature, const float *X, int64_t x_stride, int64_t rows,
                     dl_workspace *space, dl_slots out);

/* z = argmin ||x - sum_{j in S} z_j w_j||^2 on the supports S already in `slots`, for samples X (rows x n)
 * and dictionary W (m x n). Normal equations in double, O(k^2 n + k^3) per sample; `scratch` holds
 * dl_refit_scratch(k, n) doubles. */
void dl_refit_tile(const float *W, int64_t n, const float *X, int64_t x_stride, int64_t rows, dl_slots slots,
                   double *scratch);
int64_t dl_refit_scratch(int64_t k, int64_t n);

/* Coefficients of unit-norm atoms as values of codes: divides them by the scale of their atoms, if there is
 * one. */
void dl_unscale_tile(const float *scale, dl_slots slots);

#endif
