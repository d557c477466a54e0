/* The dictionary that fits given codes best. */
#ifndef DL_LEARNING_FIT_H
#define DL_LEARNING_FIT_H

#include "learning/learner.h"

/* W = C (D + ridge I)^{-1} (the paper's letters; ridge as a share of the mean diagonal of D), then unit
 * norms, with D and C rescaled to the new atoms. An atom that no code uses has no fit and keeps its
 * direction. `factor` (m x m) and `fit` (m x n) are work space. The caller refreshes the learner. */
void dl_fit_dictionary(dltf_learner *l, double *D, double *C, double ridge, double *factor, double *fit);

#endif
