/* Codes of several passes for a part of the samples, summed up as statistics.
 *
 * Hard-thresholding pursuit, preconditioned by the dual of the dictionary, finds nearly all the right atoms
 * where one pass finds most. The dictionary that fits such codes best has lost the bias of one-pass codes,
 * and they are the teacher of untied encoders. */
#ifndef DL_LEARNING_MULTIPASS_H
#define DL_LEARNING_MULTIPASS_H

#include "learning/pass.h"
#include "learning/statistics.h"

typedef struct dl_multipass {
    dl_block block;
    dl_statistics statistics;
    int64_t *order, count; /* which samples, how many */
    double X_square;       /* sum ||x||^2 */
    double residual;       /* sum ||x - Wz||^2 */
    double *dual, *factor; /* m x n and m x m: the dual encoder and work space of solves */

    /* Moments of the samples, where they are asked for. */
    double *A, *x_sum; /* X X^T (the paper's letters), n x n, and the sum of x */
    float *panel;      /* work space of A */

    dltf_encoder *encoder; /* while samples are coded */
    dltf_status status;
} dl_multipass;

/* For up to `samples` of the learner's samples. */
dltf_status dl_multipass_alloc(dl_multipass *p, const dltf_learner *l, int64_t samples, bool moments);
void dl_multipass_free(dl_multipass *p);
double dl_multipass_bytes(const dltf_learner *l, int64_t samples, bool moments);

/* Codes of `samples` samples at equal distances: as good as random ones, and of every part of sorted data.
 * Codes of the last block stay in p->block. Sets the learner's code_sum and the record's relative error. */
dltf_status dl_multipass_run(dl_multipass *p, dltf_learner *l, int64_t samples, int64_t passes,
                             dltf_iteration *record);

#endif
