/* The files of checkpoints of a learner. */
#ifndef DL_API_CHECKPOINT_FILES_H
#define DL_API_CHECKPOINT_FILES_H

#include "base/status.h"

/* Removes a checkpoint with all its files. False if there was none. */
bool dl_checkpoint_remove(const char *path);
/* Removes temporary files that killed processes left in the folder of a checkpoint; those of running
 * processes stay. To be called when a training that saves checkpoints begins. */
void dl_checkpoint_clean(const char *path);

#endif
