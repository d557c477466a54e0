/* Statistics of multi-pass codes of a subset of the samples.
 *
 * Hard-thresholding pursuit, preconditioned by the dual of the dictionary, finds nearly all the right atoms;
 * one pass finds most of them. A dictionary fitted to such codes is free of the bias of one-pass codes.
 * Untied encoders are fitted to them. */
#ifndef DL_LEARNING_STAGES_MULTIPASS_H
#define DL_LEARNING_STAGES_MULTIPASS_H

#include "dltf/encode.h"
#include "learning/paper/statistics.h"
#include "learning/pass.h"

typedef struct dl_multipass {
    dl_block block;
    dl_statistics statistics;
    int64_t *order, count; /* indices of the samples */
    double X_square;       /* sum ||x||^2 */
    double residual;       /* sum ||x - Wz||^2 */
    double *dual, *factor; /* m x n: the dual encoder; m x m: work space of solves */

    /* Moments of the samples; NULL unless requested. */
    double *A, *x_sum; /* X X^T in the paper's notation, n x n; sum of x */
    float *panel;      /* work space for A */

    dltf_model *model; /* of dictionary and dual, without preprocessing: samples are preprocessed already */
    dltf_encoder *encoder; /* during a run */
    dltf_status status;
} dl_multipass;

/* Allocates for at most `samples` of the learner's samples. */
dltf_status dl_multipass_alloc(dl_multipass *p, const dltf_learner *l, int64_t samples, bool moments);
void dl_multipass_free(dl_multipass *p);
double dl_multipass_bytes(const dltf_learner *l, int64_t samples, bool moments);

/* Codes `samples` equally spaced samples, which cover sorted data evenly. Leaves the codes of the last block
 * in p->block. Sets the learner's code_sum and the record's relative error. */
dltf_status dl_multipass_run(dl_multipass *p, dltf_learner *l, int64_t samples, int64_t passes,
                             dltf_iteration *record);

#endif
