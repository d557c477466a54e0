/* Replacement of a learner's unused or duplicate atoms, with the thresholds that its stages share. */
#ifndef DL_LEARNING_STAGES_LEARNER_REPLACE_H
#define DL_LEARNING_STAGES_LEARNER_REPLACE_H

#include "learning/pass.h"
#include "learning/replace.h"

enum { DL_REPLACE_EVERY = 5 }; /* iterations */

/* Replaces unused and duplicate atoms by the largest residuals of the samples in the block, or by Gaussian
 * directions if no residual is large enough. Returns their number; their indices are in space->atoms. */
int64_t dl_learner_replace(dltf_learner *l, const double *use, const dl_block *block, int64_t index,
                           dl_replace_space *space);

/* The same with residuals from a callback; see dl_replacement. */
int64_t dl_learner_replace_by(dltf_learner *l, const double *use, int64_t samples, int64_t index,
                              double (*residual)(void *context, int64_t i, double *r), void *context,
                              dl_replace_space *space);

#endif
