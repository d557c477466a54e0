/* Incoherent thresholded features: the scores W^T x above a threshold are taken in order of decreasing
 * magnitude, each kept only if its atom is nearly orthogonal to all those kept before; at most k are kept.
 * One product, no residuals: the coefficients of nearly orthogonal atoms are close to their scores. */
#ifndef DL_CODING_CODERS_INCOHERENT_H
#define DL_CODING_CODERS_INCOHERENT_H

#include "coding/feature.h"

typedef struct dl_incoherent {
    /* The rule. */
    int64_t k;
    bool positive;
    double threshold; /* scores at or below it are not kept */
    double coherence; /* largest |<w_i, w_j>| of two atoms in a code */
    /* The dictionary. */
    dl_packed W;
    int64_t words;      /* of a row of `conflict` */
    uint64_t *conflict; /* m x words bits: |<w_i, w_j>| > coherence, and i = j */
} dl_incoherent;

/* Memory for dictionaries of m x n; m^2 / 8 bytes and the dictionary. Does not change the rule. */
dltf_status dl_incoherent_alloc(dl_incoherent *incoherent, int64_t m, int64_t n);
/* Prepares for W (m x n, unit-norm rows). O(m^2 n). */
void dl_incoherent_fill(dl_incoherent *incoherent, int threads, const float *W);
void dl_incoherent_free(dl_incoherent *incoherent);

/* Work space of one thread. */
typedef struct dl_incoherent_space {
    float *scores; /* up to dl_score_rows(m) x m */
    float *value;  /* m: candidates */
    int32_t *index;
} dl_incoherent_space;

dltf_status dl_incoherent_space_alloc(dl_incoherent_space *space, int64_t m);
/* For `rows` samples at once, at most dl_score_rows(m). */
dltf_status dl_incoherent_space_alloc_rows(dl_incoherent_space *space, int64_t rows, int64_t m);
void dl_incoherent_space_free(dl_incoherent_space *space);

/* Codes of samples `x_stride` apart; ties go to the lowest index. */
void dl_incoherent_tile(const dl_incoherent *incoherent, const float *X, int64_t x_stride, int64_t rows,
                        dl_incoherent_space *space, dl_slots out);

#endif
