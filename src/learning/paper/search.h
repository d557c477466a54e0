/* Minimises a function of unit-norm atoms by curvilinear search: steps along curves on their spheres, with
 * Barzilai-Borwein lengths and a non-monotone line search. */
#ifndef DL_LEARNING_PAPER_SEARCH_H
#define DL_LEARNING_PAPER_SEARCH_H

#include "learning/paper/w_panels.h"

typedef struct dl_search {
    int64_t n;           /* entries of an atom */
    const void *problem; /* what the functions below need */
    dl_w_space *space;
    double *W;  /* m x n: the current point */
    double tau; /* step length of the current curve */

    /* f(W). Leaves in the work space what the gradient needs. */
    double (*value)(struct dl_search *search);
    /* Called after a value, before gradients at the same point; NULL: nothing to do. */
    void (*prepare)(const struct dl_search *search);
    /* Writes rows of the Euclidean gradient to space->gradient. */
    void (*gradient)(const struct dl_search *search, dl_w_rows rows);
} dl_search;

/* The gradient at W, to space->gradient, and its part tangent to the spheres, to space->tangent. W must be
 * that of the last value. */
void dl_search_gradient(dl_search *search);

typedef struct dl_search_outcome {
    double before, after; /* f */
    double worst_excess;  /* largest f(accepted) - reference value of the line search: never positive */
} dl_search_outcome;

/* At most `steps` steps from W, in place. `tau`: initial step length, replaced by the final one. */
dl_search_outcome dl_search_run(dl_search *search, int steps, double *tau);

#endif
