/* The first encoder of gradient learning. */
#ifndef DL_LEARNING_GRADIENT_START_H
#define DL_LEARNING_GRADIENT_START_H

#include "learning/gradient/gradient.h"
#include "learning/learner.h"

/* The dictionary of the learner with its dual as encoder, not yet packed. With no more atoms than entries it
 * is also that of the learner. */
dltf_status dl_gradient_start_dual(dl_gradient *g, dltf_learner *l);

#endif
