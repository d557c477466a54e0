/* Incoherent thresholded features: of the scores W^T x, those above a threshold, in decreasing magnitude,
 * each only if its atom is nearly orthogonal to all that were kept before. One product, no residuals. */
#ifndef DL_DENOISE_INCOHERENT_H
#define DL_DENOISE_INCOHERENT_H

#include "coding/feature.h"

typedef struct dl_incoherent {
    dl_packed E;        /* the dictionary */
    float cut;          /* scores at or below are noise */
    int64_t k;          /* most entries */
    int64_t words;      /* of a row of `conflict` */
    uint64_t *conflict; /* m x words bits: |<w_i, w_j>| > mu, and i = j */
} dl_incoherent;

/* Work space of one thread. */
typedef struct dl_incoherent_space {
    float *scores; /* dl_score_rows(m) x m */
    float *value;  /* m: candidates */
    int32_t *index;
} dl_incoherent_space;

dltf_status dl_incoherent_alloc(dl_incoherent *rule, int64_t m, int64_t n, int64_t k);
/* For W (m x n, unit-norm rows). */
void dl_incoherent_fill(dl_incoherent *rule, const float *W, double mu, double cut);
void dl_incoherent_free(dl_incoherent *rule);

dltf_status dl_incoherent_space_alloc(dl_incoherent_space *space, int64_t m);
void dl_incoherent_space_free(dl_incoherent_space *space);

/* Codes of `rows` <= DL_TILE samples of n floats; entries in order of magnitude, ties to the lowest index. */
void dl_incoherent_tile(const dl_incoherent *rule, const float *X, int64_t rows, dl_incoherent_space *space,
                        dl_slots out);

#endif
