/* Handler of SIGINT and, during training and encoding, SIGTERM and SIGHUP. It only sets a flag, so that
 * commands stop cleanly: training saves a checkpoint, everything else leaves no partial files. Two other
 * signals are the consequence of files. */
#include "cli/interrupt.h"

#include "cli/command.h"
#include "cli/output.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* timeout, mpirun and schedulers signal a process and then its group, so that one request arrives twice. */
enum { SAME_REQUEST_MS = 250 };

/* How long a command without anything to save may compute before it notices a signal: CPU time of the main
 * thread, so that a busy machine makes no difference. */
enum { PATIENCE_MS = 200 };

static volatile sig_atomic_t received;
static volatile sig_atomic_t cleans_up; /* the command must end by itself */
static struct timespec received_at;
static timer_t timer;
static bool has_timer;

static void set_timer(long ms) {
    struct itimerspec once = {.it_value = {.tv_nsec = ms * 1000000}};
    if (has_timer)
        timer_settime(timer, 0, &once, NULL);
}

/* The command has not noticed the signal. Its outputs have no names yet. */
static void end_at_once(int signal) {
    (void)signal;
    if (cleans_up || !received)
        return;
    output_interrupted();
    _exit(interrupt_exit_code());
}

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
        if (!cleans_up)
            set_timer(PATIENCE_MS);
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
    signal(SIGXFSZ, SIG_IGN);     /* at a limit of file sizes, writing fails */
    cleans_up = dltf_ranks() > 1; /* the others would wait for this one */
    struct sigaction late = {.sa_handler = end_at_once};
    struct sigevent alarm = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    sigfillset(&late.sa_mask);
    sigaction(SIGALRM, &late, NULL);
    has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &alarm, &timer) == 0;
    catch_signal(SIGINT);
}

void interrupt_catch_termination(void) {
    struct sigaction old;
    cleans_up = true;
    catch_signal(SIGTERM);
    /* nohup ignores SIGHUP; keep it ignored. */
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        catch_signal(SIGHUP);
}

void interrupt_at_once(void) {
    cleans_up = dltf_ranks() > 1;
    if (received)
        set_timer(PATIENCE_MS);
}

bool interrupted(void) {
    if (received)
        set_timer(0);
    return received != 0;
}

int interrupt_exit_code(void) {
    return 128 + (received ? received : SIGINT);
}
