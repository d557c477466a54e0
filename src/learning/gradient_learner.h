/* Between a learner and the gradient learning of its dictionary and encoder: what the stages that do it
 * share.
 */
#ifndef DL_LEARNING_GRADIENT_LEARNER_H
#define DL_LEARNING_GRADIENT_LEARNER_H

#include "learning/gradient.h"
#include "learning/learner.h"

/* The samples of the learner in the units of the gradient learner: mean ||y||^2 = 1. */
dl_samples dl_gradient_samples(const dltf_learner *l);

/* Dictionary and encoder of the learner as parameters; `biased`: with its bias, otherwise b = 0. */
void dl_gradient_from_learner(dl_gradient *g, const dltf_learner *l, bool biased);

/* Parameters (m x n, m x n, m) as dictionary and encoder of the learner. */
void dl_gradient_to_learner(dltf_learner *l, const float *W, const float *E, const float *b);

/* What a checkpoint stores beside dictionary and encoder; how many fields. */
int dl_gradient_fields(dl_gradient *g, dl_field *fields);

/* Checks what was read back, and takes W and E from the learner, where they are exactly floats. */
dltf_status dl_gradient_restored(dl_gradient *g, const dltf_learner *l);

#endif
