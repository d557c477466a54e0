/* A progress bar on stderr, for interactive use. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "program/program.h"

/* A dltf_progress_fn without context: draws the bar on a terminal, and cancels after Ctrl-C. */
int progress_step(void *context, const dltf_progress *progress);

/* Names a task that reports no progress of its own. */
void progress_begin(const char *task);

/* Text to show behind the bar from now on, at most a few words; "" for none. */
void progress_note(const char *text);

bool progress_is_visible(void);

/* Erases the bar. Call before printing anything else. */
void progress_erase(void);

#endif
