/* Handler of SIGINT and, during training and encoding, SIGTERM and SIGHUP. It only sets a flag, so that
 * commands stop cleanly: training saves a checkpoint, everything else leaves no partial files. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t received;

static void handle(int signal) {
    received = signal;
}

static void catch_signal(int signal) {
    struct sigaction action = {.sa_handler = handle};
    sigemptyset(&action.sa_mask);
    /* A second signal of the same kind gets the default action. */
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(signal, &action, NULL);
}

void interrupt_catch(void) {
    catch_signal(SIGINT);
}

void interrupt_catch_termination(void) {
    struct sigaction old;
    catch_signal(SIGTERM);
    /* nohup ignores SIGHUP; keep it ignored. */
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        catch_signal(SIGHUP);
}

bool interrupted(void) {
    return received != 0;
}

int interrupt_exit_code(void) {
    return 128 + (received ? received : SIGINT);
}
