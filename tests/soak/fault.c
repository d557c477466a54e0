/* LD_PRELOAD this to inject faults at fixed points, so that the same program meets the same fault every time.
 *
 * FAULT=CALL:N:EFFECT[,...]  the N-th CALL since the start of main has the EFFECT; N+: it and all later ones
 *   CALL    malloc (any allocation), create (open a new file), tmpfile (open one without name), access (ask
 *           for permission to write), mkdir, fwrite, fflush, write, fsync, fallocate, link, rename, unlink,
 *           clock (read the monotonic clock); names (any of link, rename, unlink); disk (N counts bytes of
 *           fwrite, later ones fail)
 *   EFFECT  the name of an error, with which the call fails, or of a signal, raised before the call; with
 *           "after-" in front, after it
 * FAULT_PATH=TEXT     counts link, rename, unlink and names only for files whose name contains TEXT
 * FAULT_RANK=R        disturbs this MPI rank only
 * FAULT_COUNT=FILE    writes "CALL NUMBER" lines when the program ends
 * FAULT_CLOCK=S       the monotonic clock and the CPU time of the process advance by S seconds whenever one
 *                     of them is read, and not otherwise
 * FAULT_JUMP=S        the wall clock is S seconds fast and slow in turns
 *
 * Standard output and standard error are left alone, and so is the monotonic clock of libraries. So are
 * allocations by OpenBLAS, whose kernels for small matrices use memory without checking that they got it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The definition that this one hides. */
#define NEXT(name) (*(__typeof__(&(name)) *)&(void *){next(#name)})

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}

/* ---- The faults ---- */

typedef struct named {
    const char *name;
    int number;
} named;

/* clang-format off */
enum call { MALLOC, CREATE, TMPFILE, ACCESS, MKDIR, FWRITE, FFLUSH, WRITE, FSYNC, FALLOCATE, LINK, RENAME, UNLINK,
            CLOCK, NAMES, DISK, CALLS };
static const char *const CALL_NAMES[CALLS] = {
    "malloc", "create", "tmpfile", "access", "mkdir", "fwrite", "fflush", "write", "fsync", "fallocate", "link",
    "rename", "unlink", "clock", "names", "disk"};

#define NAMED(number) {#number, number}
static const named ERRORS[] = {NAMED(ENOSPC), NAMED(EDQUOT), NAMED(EIO), NAMED(EINTR), NAMED(EACCES), NAMED(EROFS),
                               NAMED(ENOMEM), NAMED(EMFILE), NAMED(EOPNOTSUPP)};
static const named SIGNALS[] = {NAMED(SIGKILL), NAMED(SIGINT), NAMED(SIGTERM), NAMED(SIGHUP), NAMED(SIGSTOP)};
/* clang-format on */

enum { FAULTS = 8, LENGTH = 32 };

static struct fault {
    enum call call;
    long first, last;
    int error, signal, after; /* one of error and signal is not 0 */
} faults[FAULTS];

static int fault_count, active;
static atomic_long counts[CALLS];
static double clock_step, clock_jump;
static const char *path_part;

static struct fault parse_fault(const char *text) {
    char call[LENGTH] = "", number[LENGTH] = "", effect[LENGTH] = "";
    (void)!sscanf(text, "%31[^:]:%31[^:]:%31[^,]", call, number, effect);
    struct fault f = {.call = CALLS, .first = atol(number)};
    f.last = strchr(number, '+') ? INT64_MAX : f.first;
    f.after = strncmp(effect, "after-", 6) == 0;
    for (int i = 0; i < CALLS; i++)
        if (strcmp(call, CALL_NAMES[i]) == 0)
            f.call = (enum call)i;
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
        if (strcmp(effect, ERRORS[i].name) == 0)
            f.error = ERRORS[i].number;
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++)
        if (strcmp(effect + (f.after ? 6 : 0), SIGNALS[i].name) == 0)
            f.signal = SIGNALS[i].number;
    if (f.call == CALLS || f.first < 1 || (!f.error && !f.signal)) {
        fprintf(stderr, "fault: cannot understand '%s'\n", text);
        _exit(99);
    }
    return f;
}

/* Counts a call. Raises a signal that comes before it; returns the error it fails with, or 0. `late` is set
 * to a signal that comes after it. */
static int count(enum call call, long amount, int *late) {
    int error = 0;
    if (!active)
        return 0;
    long number = atomic_fetch_add(&counts[call], amount) + amount;
    for (const struct fault *f = faults; f < faults + fault_count; f++) {
        int hit = call == DISK ? number > f->first : number >= f->first && number <= f->last;
        if (f->call != call || !hit)
            continue;
        error = f->error ? f->error : error;
        if (f->signal && !f->after)
            kill(getpid(), f->signal);
        else if (f->signal)
            *late = f->signal;
    }
    return error;
}

/* Whether the call fails, with errno set. */
static int fails(enum call call, int *late) {
    int error = count(call, 1, late);
    errno = error ? error : errno;
    return error != 0;
}

/* The same for calls that name a file. */
static int fails_to_name(enum call call, const char *name, int *late) {
    return (!path_part || strstr(name, path_part)) && (fails(NAMES, late) | fails(call, late));
}

static int finish(int result, int late) {
    int error = errno;
    if (late)
        kill(getpid(), late);
    errno = error;
    return result;
}

/* ---- Who calls ---- */

enum { RANGES = 32 };

/* The code of some libraries. */
typedef struct code {
    int count;
    struct {
        uintptr_t begin, end;
    } ranges[RANGES];
} code;

static code own, openblas; /* the program with its library; OpenBLAS */

static int add_ranges(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    int is_own = !*info->dlpi_name || strstr(info->dlpi_name, "libdltf");
    code *code = is_own ? &own : strstr(info->dlpi_name, "libopenblas") ? &openblas : NULL;
    for (int p = 0; code && p < info->dlpi_phnum && code->count < RANGES; p++)
        if (info->dlpi_phdr[p].p_type == PT_LOAD && info->dlpi_phdr[p].p_flags & PF_X) {
            uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[p].p_vaddr;
            code->ranges[code->count].begin = begin;
            code->ranges[code->count++].end = begin + info->dlpi_phdr[p].p_memsz;
        }
    return 0;
}

static int is_in(const code *code, const void *address) {
    for (int i = 0; i < code->count; i++)
        if ((uintptr_t)address >= code->ranges[i].begin && (uintptr_t)address < code->ranges[i].end)
            return 1;
    return 0;
}

#define CALLER __builtin_return_address(0)

/* ---- Allocations ---- */

/* glibc's own names: looking up the next definition would allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static int no_memory(const void *caller) {
    int late = 0;
    return !is_in(&openblas, caller) && fails(MALLOC, &late);
}

void *malloc(size_t size) {
    return no_memory(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return no_memory(CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return size > 0 && no_memory(CALLER) ? NULL : __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    return no_memory(CALLER) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) __attribute__((alias("memalign")));

int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = no_memory(CALLER) ? NULL : __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

/* ---- Files ---- */

/* Not standard output, standard error or memory. */
static int is_file(FILE *file) {
    return file && file != stdout && file != stderr && fileno(file) >= 0;
}

static int open_at(int folder, const char *path, int flags, va_list arguments) {
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    int late = 0, unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if ((flags & O_CREAT || unnamed) && fails(CREATE, &late))
        return -1;
    if (unnamed && fails(TMPFILE, &late))
        return -1;
    return finish(NEXT(openat)(folder, path, flags, mode), late);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int result = open_at(AT_FDCWD, path, flags, arguments);
    va_end(arguments);
    return result;
}

int openat(int folder, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int result = open_at(folder, path, flags, arguments);
    va_end(arguments);
    return result;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));

int access(const char *path, int mode) {
    int late = 0;
    return mode & W_OK && fails(ACCESS, &late) ? -1 : finish(NEXT(access)(path, mode), late);
}

int mkdir(const char *path, mode_t mode) {
    int late = 0;
    return fails(MKDIR, &late) ? -1 : finish(NEXT(mkdir)(path, mode), late);
}

size_t fwrite(const void *bytes, size_t size, size_t items, FILE *file) {
    int late = 0, error = is_file(file) ? count(FWRITE, 1, &late) : 0;
    if (error == 0 && is_file(file))
        error = count(DISK, (long)(size * items), &late);
    errno = error ? error : errno;
    size_t result = error ? 0 : NEXT(fwrite)(bytes, size, items, file);
    finish(0, late);
    return result;
}

int fflush(FILE *file) {
    int late = 0;
    return is_file(file) && fails(FFLUSH, &late) ? EOF : finish(NEXT(fflush)(file), late);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    int late = 0, standard = descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
    ssize_t result = !standard && fails(WRITE, &late) ? -1 : NEXT(write)(descriptor, bytes, size);
    finish(0, late);
    return result;
}

int fsync(int descriptor) {
    int late = 0;
    return fails(FSYNC, &late) ? -1 : finish(NEXT(fsync)(descriptor), late);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    int late = 0, error = count(FALLOCATE, 1, &late);
    return error ? error : finish(NEXT(posix_fallocate)(descriptor, offset, length), late);
}

int linkat(int from, const char *old, int to, const char *name, int flags) {
    int late = 0;
    return fails_to_name(LINK, name, &late) ? -1 : finish(NEXT(linkat)(from, old, to, name, flags), late);
}

int renameat(int from, const char *old, int to, const char *name) {
    int late = 0;
    return fails_to_name(RENAME, name, &late) ? -1 : finish(NEXT(renameat)(from, old, to, name), late);
}

int unlinkat(int folder, const char *name, int flags) {
    int late = 0;
    return fails_to_name(UNLINK, name, &late) ? -1 : finish(NEXT(unlinkat)(folder, name, flags), late);
}

int unlink(const char *name) {
    int late = 0;
    return fails_to_name(UNLINK, name, &late) ? -1 : finish(NEXT(unlink)(name), late);
}

/* ---- Clocks ---- */

/* What the wall clock is wrong by now. */
static long jump(void) {
    static atomic_long readings;
    return active ? (long)(atomic_fetch_add(&readings, 1) % 2 ? -clock_jump : clock_jump) : 0;
}

int clock_gettime(clockid_t which, struct timespec *now) {
    int late = 0;
    /* CPU time stands still, so that computations do not poll by it. */
    if (which == CLOCK_THREAD_CPUTIME_ID && clock_step > 0 && active && is_in(&own, CALLER)) {
        *now = (struct timespec){0, 0};
        return 0;
    }
    int cpu_time = which == CLOCK_PROCESS_CPUTIME_ID && clock_step > 0;
    if ((which == CLOCK_MONOTONIC || cpu_time) && active && is_in(&own, CALLER)) {
        count(CLOCK, 1, &late);
        if (clock_step > 0) {
            double seconds = (cpu_time ? 0 : 1000) + clock_step * (double)atomic_load(&counts[CLOCK]);
            *now = (struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
            return finish(0, late);
        }
    }
    int result = NEXT(clock_gettime)(which, now);
    now->tv_sec += which == CLOCK_REALTIME ? jump() : 0;
    return finish(result, late);
}

int gettimeofday(struct timeval *now, void *zone) {
    int result = NEXT(gettimeofday)(now, zone);
    now->tv_sec += jump();
    return result;
}

int timespec_get(struct timespec *now, int base) {
    int result = NEXT(timespec_get)(now, base);
    now->tv_sec += jump();
    return result;
}

time_t time(time_t *result) {
    time_t now = NEXT(time)(NULL) + jump();
    if (result)
        *result = now;
    return now;
}

/* ---- The program ---- */

static void report(void) {
    const char *path = getenv("FAULT_COUNT");
    active = 0;
    FILE *file = path ? fopen(path, "w") : NULL;
    for (int i = 0; file && i < CALLS; i++)
        fprintf(file, "%s %ld\n", CALL_NAMES[i], atomic_load(&counts[i]));
    if (file)
        fclose(file);
}

static int is_chosen(void) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *chosen = getenv("FAULT_RANK");
    rank = rank ? rank : getenv("PMI_RANK");
    return !chosen || strcmp(rank ? rank : "0", chosen) == 0;
}

static double number_of(const char *variable) {
    const char *text = getenv(variable);
    return text ? atof(text) : 0;
}

typedef int (*main_function)(int, char **, char **);
static main_function program;

static int disturbed_main(int argc, char **argv, char **environment) {
    const char *text = getenv("FAULT");
    for (; is_chosen() && text && *text && fault_count < FAULTS; text += *text == ',') {
        faults[fault_count++] = parse_fault(text);
        text += strcspn(text, ",");
    }
    path_part = getenv("FAULT_PATH");
    clock_step = number_of("FAULT_CLOCK");
    clock_jump = number_of("FAULT_JUMP");
    dl_iterate_phdr(add_ranges, NULL);
    atexit(report);
    active = 1;
    return program(argc, argv, environment);
}

int __libc_start_main(main_function function, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*unload)(void), void *stack_end);

int __libc_start_main(main_function function, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*unload)(void), void *stack_end) {
    program = function;
    return NEXT(__libc_start_main)(disturbed_main, argc, argv, init, fini, unload, stack_end);
}
