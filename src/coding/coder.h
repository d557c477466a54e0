/* Thresholded features of tiles of samples, shared by encoding and learning. */
#ifndef DL_CODING_CODER_H
#define DL_CODING_CODER_H

#include "base/status.h"
#include "data/samples.h"

/* Samples in one tile: scores of a tile stay in the L2 cache. Fixed: results must not depend on the threads.
 */
enum { DL_TILE = 128 };

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

/* A score matrix E (m x n) with bias, and how many scores to keep. Borrows everything. */
typedef struct dl_coder {
    const float *E;
    const float *bias; /* or NULL */
    int64_t m, n, k;
    bool positive;
} dl_coder;

/* Work space of one thread. */
typedef struct dl_workspace {
    double *row;    /* n */
    float *X;       /* DL_TILE x n */
    float *scores;  /* DL_TILE x m */
    uint32_t *keys; /* m */
} dl_workspace;

dltf_status dl_workspaces_alloc(int threads, int64_t m, int64_t n, dl_workspace **spaces);
void dl_workspaces_free(dl_workspace *spaces, int threads);

/* scores = X E^T - b for `rows` samples (rows x n). */
void dl_score_tile(const dl_coder *coder, const float *X, int64_t rows, float *scores);

/* z = max_k(scores), eq. (1) of the paper, row by row; `keys` is work space of m words. */
void dl_threshold_tile(const dl_coder *coder, const float *scores, int64_t rows, uint32_t *keys,
                       dl_slots out);

/* z = argmin ||x - sum_{j in S} z_j w_j||^2 on the supports S already in `slots`, for samples X (rows x n)
 * and dictionary W (m x n). Normal equations in double, O(k^2 n + k^3) per sample; `scratch` holds
 * dl_refit_scratch(k, n) doubles. */
void dl_refit_tile(const float *W, int64_t n, const float *X, int64_t rows, dl_slots slots, double *scratch);
int64_t dl_refit_scratch(int64_t k, int64_t n);

#endif
