/* Handler of SIGINT and, during training and encoding, SIGTERM and SIGHUP. It only sets a flag, so that
 * commands stop cleanly: training saves a checkpoint, everything else leaves no partial files. Two other
 * signals are the consequence of files. */
#include "cli/interrupt.h"

#include "cli/command.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* timeout, mpirun and schedulers signal a process and then its group, so that one request arrives twice. */
enum { SAME_REQUEST_MS = 250 };

static volatile sig_atomic_t received;
static struct timespec received_at;

static bool same_request(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!received)
        received_at = now;
    return (now.tv_sec - received_at.tv_sec) * 1000 + (now.tv_nsec - received_at.tv_nsec) / 1000000 <
           SAME_REQUEST_MS;
}

static void handle(int number) {
    if (same_request()) {
        received = number;
        return;
    }
    /* Asked again: end at once, as soon as this handler returns. */
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signal(int signal) {
    struct sigaction action = {.sa_handler = handle};
    sigfillset(&action.sa_mask); /* one handler at a time */
    sigaction(signal, &action, NULL);
}

/* Inputs are mapped: what another process cut off cannot be read any more. Outputs have no names yet. */
static void end_without_input(int signal) {
    static const char text[] =
        "dltf: an input file was truncated, or could not be read, while it was in use\n";
    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(EXIT_FAILED);
}

void interrupt_catch(void) {
    struct sigaction bus = {.sa_handler = end_without_input};
    sigemptyset(&bus.sa_mask);
    sigaction(SIGBUS, &bus, NULL);
    signal(SIGXFSZ, SIG_IGN); /* at a limit of file sizes, writing fails */
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
