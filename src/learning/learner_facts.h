/* A learner for reports: its history, and how it chose what its options left open. */
#ifndef DL_LEARNING_LEARNER_FACTS_H
#define DL_LEARNING_LEARNER_FACTS_H

#include "base/status.h"
#include "dltf/learn.h"

/* All records of the history. */
const dltf_iteration *dl_learner_history(const dltf_learner *learner, int64_t *count);

/* The encoder that was chosen and why, as a sentence; empty if the options named it. Models store it as the
 * note "encoder.choice". */
const char *dl_learner_choice(const dltf_learner *learner);
/* Whether option `center` = auto subtracted the mean and why, as a sentence; empty if it was not considered.
 * Models store it as the note "center.choice". */
const char *dl_learner_center_choice(const dltf_learner *learner);

/* Training samples that the gradient steps of a learned encoder have used, each as often as it was used. 0
 * with other encoders. */
int64_t dl_learner_samples_seen(const dltf_learner *learner);

/* The row of X of the i-th sample that dltf_learner_quality measures, ascending. */
int64_t dl_learner_quality_row(const dltf_learner *learner, int64_t i);

#endif
