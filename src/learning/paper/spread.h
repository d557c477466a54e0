/* A smooth coherence: max |<w_i, w_j>| over i != j, the quantity ||W^T W - I||_inf of the paper's conclusion,
 * close to a given dictionary W0:
 *
 *   f(W) = 1/T log sum_{i != j} exp(T |<w_i, w_j>|) + lambda/m ||W - W0||^2,   ||w_j|| = 1
 *
 * exceeds the maximum by at most 2 log(m) / T. An evaluation costs 2 m m n operations and at most m m
 * exponentials. */
#ifndef DL_LEARNING_PAPER_SPREAD_H
#define DL_LEARNING_PAPER_SPREAD_H

#include "learning/paper/search.h"

typedef struct dl_spread_problem {
    int64_t n;
    double sharpness; /* T */
    double lambda;
    const double *W0; /* m x n */
} dl_spread_problem;

/* f(W), and its gradient to space->gradient. */
double dl_spread_objective(const dl_spread_problem *problem, double *W, dl_w_space *space);
void dl_spread_gradient(const dl_spread_problem *problem, double *W, dl_w_space *space);

/* At most `steps` steps of the search from W, in place. */
dl_search_outcome dl_spread_step(const dl_spread_problem *problem, int steps, double *tau, double *W,
                                 dl_w_space *space);

#endif
