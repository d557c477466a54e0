/* Ctrl-C and other signals set a flag, which the progress callback checks. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* The first Ctrl-C sets the flag, the second terminates the program, as does the first if the program does
 * not look at the flag soon: some computations cannot be cancelled, but they have nothing to save. Also ends
 * the program with a message if a mapped input disappears, and turns the signal of a limit of file sizes into
 * an error of writing. */
void interrupt_catch(void);
/* The same for SIGTERM and SIGHUP, for commands that clean up, however long it takes: training saves a
 * checkpoint, encoding removes its temporary file. */
void interrupt_catch_termination(void);
/* Nothing is left to save or clean up: a signal may now end the program at once. */
void interrupt_at_once(void);

/* Whether the flag is set. The caller then ends the program by itself. */
bool interrupted(void);
/* 128 + signal number: 130 for Ctrl-C. */
int interrupt_exit_code(void);

#endif
