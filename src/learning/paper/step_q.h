/* The Q-step of the model. */
#ifndef DL_LEARNING_PAPER_STEP_Q_H
#define DL_LEARNING_PAPER_STEP_Q_H

#include "learning/paper/step_z.h"

typedef struct dl_q_outcome {
    double noise;  /* sum ||q_i||^2_{2k,2} */
    double change; /* ||Q - Q_old||^2 */
    double gap;    /* ||Q - W^T(X - WZ)||^2 */
} dl_q_outcome;

/* Q-subproblem (eq. 6 of the paper), for every sample of a tile, with gamma = lambda/beta:
 *   q = prox^{2k,2}_gamma(c) = argmin gamma ||q||^2_{2k,2} + ||q - c||^2,   c = W^T(x - Wz) - y/beta
 * Needs P = GZ - W^T X in `space`, as left by the Z-step. Overwrites R and U of `space`, and Q; sets M to
 * Q + Y/beta. O(rows m). */
dl_q_outcome dl_q_step(const dl_z_problem *problem, double gamma, int64_t rows, const float *Y,
                       dl_z_space *space, float *Q, float *M);

#endif
