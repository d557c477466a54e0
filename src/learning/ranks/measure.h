/* Errors of a model whose atoms are divided among ranks. */
#ifndef DL_LEARNING_RANKS_MEASURE_H
#define DL_LEARNING_RANKS_MEASURE_H

#include "learning/learner.h"

/* dl_model_quality of the model that ranks have together, with the same result on all ranks. */
dltf_status dl_shared_quality(const dltf_learner *l, dltf_matrix X, dltf_quality *quality);

#endif
