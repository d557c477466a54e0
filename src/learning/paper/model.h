/* The paper's model, eq. (3):
 *
 *   min  lambda/2 sum_i ||q_i||^2_{2k,2} + ||W^T W - I||^2 + theta/2 ||X - WZ||^2
 *   s.t. Q = W^T(X - WZ), ||z_i||_0 <= k, ||w_j|| = 1
 *
 * Shared by the two stages that solve it: `tied` omits the noise term (lambda = beta = 0), `admm` solves the
 * full model. */
#ifndef DL_LEARNING_PAPER_MODEL_H
#define DL_LEARNING_PAPER_MODEL_H

#include "base/scratch.h"
#include "learning/paper/step_w.h"
#include "learning/paper/step_z.h"
#include "learning/pass.h"
#include "learning/replace.h"

typedef struct dl_paper_model {
    int threads;
    dl_block block;
    dl_z_space *spaces; /* one per thread */
    dl_statistics statistics;
    dl_rank_sum fold; /* of the statistics and of the sums below */
    dl_w_space w_space;
    double *W;            /* m x n: the dictionary during the W-step */
    double *lanczos;      /* work space for the largest eigenvalue */
    dl_z_problem problem; /* of the current pass */

    dl_replace_space replace; /* only without the noise term */

    /* Only with the noise term. */
    double gamma;    /* lambda / beta */
    dl_packed G;     /* W^T W */
    dl_slots Z;      /* codes of all samples of this rank */
    float *Q, *Y;    /* own x m */
    dl_scratch file; /* Z, Q and Y are in it if they are too large for memory */
    float *M;        /* DL_BLOCK x m: Q + Y/beta of the current block */
    double *A;       /* X X^T, n x n */
    dl_rank_sum A_fold;
    double *tile_sums; /* results of the tiles of a block */
    double *sums;      /* of the pass: DL_SUMS, then ||M||^2 */
} dl_paper_model;

/* Sums of an ADMM pass, kept per tile. */
enum { DL_SUM_NOISE, DL_SUM_CHANGE, DL_SUM_GAP, DL_SUMS };

dltf_status dl_paper_model_new(const dltf_learner *l, bool noise, dl_paper_model **model);
void dl_paper_model_free(void *model);
double dl_paper_model_bytes(const dltf_learner *l, bool noise);

/* Prepares a pass over all samples of this rank with the current dictionary. Clears the statistics. */
dl_pass dl_paper_model_pass(const dltf_learner *l, dl_paper_model *model, double theta, double beta);

/* Solves the W-subproblem for the statistics of the last pass. Fills in the record except for noise term and
 * residuals; the noise term must be set before, since the objective includes it. False, and the dictionary
 * unchanged, if the caller of the training cancelled. */
bool dl_paper_model_w_step(dltf_learner *l, dl_paper_model *model, double theta, double beta,
                           dltf_iteration *record);

/* The state of the samples of the current block is not needed before the next pass. */
void dl_paper_model_rest(const dl_pass *pass);

/* Initialises the ADMM: Z without the noise term, Q = W^T(X - WZ), so that the constraint holds, Y = 0 and
 * A = X X^T. */
void dl_admm_start(const dltf_learner *l, dl_paper_model *model);

#endif
