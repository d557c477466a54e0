/* Ctrl-C and other signals set a flag, which the progress callback checks. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* The first Ctrl-C sets the flag, the second terminates the program. Also ends the program with a message if
 * a mapped input disappears, and turns the signal of a limit of file sizes into an error of writing. */
void interrupt_catch(void);
/* The same for SIGTERM and SIGHUP, for commands that clean up: training saves a checkpoint, encoding removes
 * its temporary file. */
void interrupt_catch_termination(void);

bool interrupted(void);
/* 128 + signal number: 130 for Ctrl-C. */
int interrupt_exit_code(void);

#endif
