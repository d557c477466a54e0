/* Ctrl-C: a flag that the progress callback looks at. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* The first Ctrl-C sets the flag, the second ends the program at once. */
void interrupt_catch(void);
bool interrupted(void);

#endif
