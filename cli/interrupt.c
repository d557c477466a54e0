/* The handler of SIGINT. It only sets a flag, so that work ends in order: training saves a checkpoint,
 * everything else stops before it has written anything. Started by main. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t flag;

static void handle(int signal) {
    (void)signal;
    flag = 1;
}

void interrupt_catch(void) {
    struct sigaction action = {.sa_handler = handle};
    sigemptyset(&action.sa_mask);
    /* The second Ctrl-C finds the default action again. */
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
}

bool interrupted(void) {
    return flag != 0;
}
