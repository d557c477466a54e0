/* The least-squares dictionary of given codes. */
#ifndef DL_LEARNING_STAGES_DICTIONARY_FIT_H
#define DL_LEARNING_STAGES_DICTIONARY_FIT_H

#include "learning/learner.h"

/* W = C (D + ridge I)^{-1} in the paper's notation (ridge: relative to the mean diagonal of D), then
 * normalised; D and C are rescaled to match. An atom that no code uses has no fit and keeps its direction.
 * `factor` (m x m) and `fit` (m x n) are work space. The caller must refresh the learner. */
void dl_fit_dictionary(dltf_learner *l, double *D, double *C, double ridge, double *factor, double *fit);

#endif
