/* Preloaded into dltf by bench/silence: measures the CPU time between polls of the program for Ctrl-C. Every
 * poll is a call of isatty for standard error (cli/progress.c), so that the program needs no hook. Writes the
 * longest time without a poll and the stack inside it to $SILENCE_LOG; ends the process after $SILENCE_LIMIT
 * seconds of silence. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 40, ENDED = 99 };
static const double SAMPLED_AFTER = 0.1; /* seconds of silence before its stack is recorded */

typedef struct stack {
    void *frames[DEPTH];
    int count;
} stack;

static double last, longest, limit = 20;
static stack now, there;
static long polls;

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void end_silence(void) {
    double time = cpu_seconds();
    if (time - last > longest) {
        longest = time - last;
        there = now;
    }
    last = time;
    now.count = 0;
}

static void report(void) {
    const char *path = getenv("SILENCE_LOG");
    FILE *log = path ? fopen(path, "w") : NULL;
    struct itimerval off = {0};
    setitimer(ITIMER_PROF, &off, NULL);
    end_silence();
    if (!log)
        return;
    fprintf(log, "%.0f %ld %.2f\n", longest * 1000, polls, last);
    for (int i = 2; i < there.count; i++) {
        Dl_info where;
        if (dladdr(there.frames[i], &where))
            fprintf(log, "%s 0x%lx\n", where.dli_fname,
                    (long)((char *)there.frames[i] - (char *)where.dli_fbase) - 1);
    }
    fclose(log);
}

static void on_tick(int signal) {
    (void)signal;
    double silence = cpu_seconds() - last;
    if (silence > limit) {
        report();
        _exit(ENDED);
    }
    if (silence > SAMPLED_AFTER && now.count == 0)
        now.count = backtrace(now.frames, DEPTH);
}

int isatty(int stream) {
    if (stream == STDERR_FILENO) {
        polls++;
        end_silence();
    }
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    struct sigaction tick = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 20000}, {0, 20000}};
    if (getenv("SILENCE_LIMIT"))
        limit = atof(getenv("SILENCE_LIMIT"));
    backtrace(now.frames, DEPTH); /* loads what it needs, before the first signal */
    now.count = 0;
    last = cpu_seconds();
    sigaction(SIGPROF, &tick, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
}

__attribute__((destructor)) static void end(void) {
    report();
}
