/* The inner products <e_i, w_j>, on which every guarantee about max_k(E^T x - b) depends, reduced to the few
 * numbers that the theorems use and rounded to the safe side. See docs/guarantees.md. */
#ifndef DL_THEORY_GAINS_H
#define DL_THEORY_GAINS_H

#include "base/status.h"
#include "dltf/data.h"

typedef struct dl_gains {
    int64_t m, n;
    bool positive;               /* selection: the largest scores (positive) or magnitudes (abs) */
    const float *bias;           /* borrowed from the model; NULL: none */
    double *W;                   /* m x n, the atoms exactly as stored */
    double *E;                   /* m x n; the same pointer as W if the feature is tied */
    double *d;                   /* d_i = <e_i, w_i> */
    double *babel;               /* m upper bounds: mu_1(0) = 0, mu_1(1) = mu, ..., mu_1(m-1) */
    double longest_e, longest_w; /* largest ||e_i||, ||w_j|| */
    double most_bias;            /* largest |b_i| */
    double slack;                /* bound on the rounding error of a computed <e_i, w_j> */
} dl_gains;

/* Gains of the model's own feature or, with `tied`, of max_k(W^T x), ignoring encoder and bias. */
dltf_status dl_gains_make(const dltf_model *model, bool tied, dl_gains *gains);
void dl_gains_free(dl_gains *gains);

/* The rank of a score t in the selection: |t|, or t for positive selection. */
double dl_gains_rank(const dl_gains *gains, double t);

/* mu_1(s) for any s >= 0. */
double dl_gains_babel(const dl_gains *gains, int64_t s);

#endif
