/* The paper's model, eq. (3):
 *
 *   min  lambda/2 sum_i ||q_i||^2_{2k,2} + ||W^T W - I||^2 + theta/2 ||X - WZ||^2
 *   s.t. Q = W^T(X - WZ), ||z_i||_0 <= k, ||w_j|| = 1
 *
 * What the two stages that solve it share: `tied` leaves the noise term out (lambda = beta = 0), `admm` has
 * all of it. */
#ifndef DL_LEARNING_PAPER_MODEL_H
#define DL_LEARNING_PAPER_MODEL_H

#include "learning/pass.h"
#include "learning/replace.h"
#include "learning/step_w.h"
#include "learning/step_z.h"

typedef struct dl_paper_model {
    int threads;
    dl_block block;
    dl_z_space *spaces; /* one per thread */
    dl_statistics statistics;
    dl_w_space w_space;
    double *lanczos;      /* work space of the largest eigenvalue */
    dl_z_problem problem; /* of the present pass */

    dl_replace_space replace; /* without the noise term */

    /* With the noise term. */
    double gamma; /* lambda / beta */
    dl_slots Z;   /* codes of all samples */
    float *Q, *Y; /* N x m */
    float *M;     /* DL_BLOCK x m: Q + Y/beta of the present block */
    double *A;    /* X X^T, n x n */
    double *sums; /* results of each tile of a pass */
} dl_paper_model;

/* What an ADMM pass sums up in each tile. */
enum { DL_SUM_NOISE, DL_SUM_CHANGE, DL_SUM_GAP, DL_SUMS };

dltf_status dl_paper_model_new(const dltf_learner *l, bool noise, dl_paper_model **model);
void dl_paper_model_free(void *model);
double dl_paper_model_bytes(const dltf_learner *l, bool noise);

/* A pass over all samples at the current dictionary. Clears the statistics. */
dl_pass dl_paper_model_pass(const dltf_learner *l, dl_paper_model *model, double theta, double beta);

/* The W-subproblem at the statistics of the last pass. Fills in the record but for noise term and residuals,
 * which must be there before. */
void dl_paper_model_w_step(dltf_learner *l, dl_paper_model *model, double theta, double beta,
                           dltf_iteration *record);

/* The start of the ADMM: Q = W^T(X - WZ) at codes without noise term, so that the constraint holds; Y = 0;
 * A = X X^T. */
void dl_admm_start(const dltf_learner *l, dl_paper_model *model);

#endif
