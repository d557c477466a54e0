/* The model of a learner whose atoms are divided among ranks. */
#ifndef DL_API_MODEL_PARTS_H
#define DL_API_MODEL_PARTS_H

#include "learning/learner_facts.h"

/* Whether ranks share the atoms, so that none has the whole model. */
bool dl_learner_is_shared(const dltf_learner *learner);

/* Saves the model as dltf_model_save would. All ranks call it and write their own atoms. */
dltf_status dl_learner_save_model(const dltf_learner *learner, const char *path);

#endif
