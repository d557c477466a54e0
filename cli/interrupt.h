/* Ctrl-C and its kin: a flag that the progress callback looks at. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* The first Ctrl-C sets the flag, the second ends the program at once. */
void interrupt_catch(void);
/* The same for SIGTERM and SIGHUP, for work that ends in order: training saves a checkpoint, encoding removes
 * its temporary file. */
void interrupt_catch_termination(void);

bool interrupted(void);
/* 128 + the signal that came: 130 for Ctrl-C. */
int interrupt_exit_code(void);

#endif
