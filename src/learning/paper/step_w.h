/* The W-step of the model. */
#ifndef DL_LEARNING_PAPER_STEP_W_H
#define DL_LEARNING_PAPER_STEP_W_H

#include "learning/paper/search.h"
#include "learning/paper/statistics.h"

/* W-subproblem (eq. 8 of the paper) over unit-norm atoms:
 *   f(W) = rho ||W^T W - I||^2 + theta/2 ||X - WZ||^2 + beta/2 ||M - W^T(X - WZ)||^2,   M = Q + Y/beta
 * The data enter through their statistics only, so an evaluation costs O(mn(m+n)), independent of N. */
typedef struct dl_w_problem {
    const dl_statistics *s;
    const double *A; /* X X^T, n x n; NULL while beta = 0 */
    double X_square; /* ||X||^2 */
    double rho, theta, beta;
} dl_w_problem;

/* f(W), W: m x n. Leaves in the work space G and the products that the gradient needs. */
double dl_w_objective(const dl_w_problem *problem, double *W, dl_w_space *space);

/* ||X - WZ||^2 and ||W^T W - I||^2; G = W^T W, m x m. */
double dl_w_residual(const dl_w_problem *problem, const double *W, const double *G);
double dl_w_incoherence(const double *G, int64_t m);

/* Writes the Euclidean gradient to space->gradient (m x n) and its part tangent to the spheres to
 * space->tangent. W must be that of the last dl_w_objective. */
void dl_w_gradient(const dl_w_problem *problem, double *W, dl_w_space *space);

/* At most `steps` steps of the search from W, in place. `tau`: as for dl_search_run. */
dl_search_outcome dl_w_step(const dl_w_problem *problem, int steps, double *tau, double *W,
                            dl_w_space *space);

#endif
