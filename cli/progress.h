/* A progress bar on stderr, for people at a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "dltf.h"

/* A dltf_progress_fn without context: draws where that makes sense, and cancels after Ctrl-C. */
int progress_step(void *context, const dltf_progress *progress);

/* Takes the bar off the screen; called before anything else is printed. */
void progress_erase(void);

#endif
