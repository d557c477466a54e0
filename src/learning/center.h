/* Which mean is subtracted from samples before learning. */
#ifndef DL_LEARNING_CENTER_H
#define DL_LEARNING_CENTER_H

#include "learning/learner.h"

/* Sets `mean` or `offset` of the learner as option `center` says, and scans the samples after it. Ranks call
 * it together and decide alike. */
dltf_status dl_learner_center(dltf_learner *l);

#endif
