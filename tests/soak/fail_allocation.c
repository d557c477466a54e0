/* LD_PRELOAD this to make allocations fail: the one with number FAIL_AT, counted from the start of main, and
 * with FAIL_MORE=1 all later ones. FAIL_COUNT names a file for the number of allocations. What happens before
 * main, in the initialisation of libraries, is not counted. Nor are allocations by OpenBLAS, whose kernels
 * for small matrices use memory without checking that they got it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own names: looking up the next definition would allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long allocations;
static long fail_at;
static int fail_more, counting;

/* ---- The library that is spared ---- */

enum { RANGES = 8 };

static struct range { uintptr_t begin, end; } spared[RANGES];
static int spared_count;

static int spare(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    if (!strstr(info->dlpi_name, "libopenblas"))
        return 0;
    for (int p = 0; p < info->dlpi_phnum && spared_count < RANGES; p++)
        if (info->dlpi_phdr[p].p_type == PT_LOAD && info->dlpi_phdr[p].p_flags & PF_X) {
            uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[p].p_vaddr;
            spared[spared_count++] = (struct range){begin, begin + info->dlpi_phdr[p].p_memsz};
        }
    return 0;
}

/* ---- Allocations ---- */

/* A place for breakpoints. */
void fail_here(void);

__attribute__((noinline)) void fail_here(void) {
    errno = ENOMEM;
}

static int fails(const void *caller) {
    if (!counting)
        return 0;
    for (int i = 0; i < spared_count; i++)
        if ((uintptr_t)caller >= spared[i].begin && (uintptr_t)caller < spared[i].end)
            return 0;
    long number = atomic_fetch_add(&allocations, 1) + 1;
    if (fail_at == 0 || (fail_more ? number < fail_at : number != fail_at))
        return 0;
    fail_here();
    return 1;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) {
    return fails(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails(CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return size > 0 && fails(CALLER) ? NULL : __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    return fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = fails(CALLER) ? NULL : __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

/* ---- The program ---- */

static void report(void) {
    const char *path = getenv("FAIL_COUNT");
    char text[32];
    counting = 0;
    int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&allocations));
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file >= 0) {
        (void)!write(file, text, (size_t)length);
        close(file);
    }
}

typedef int (*main_function)(int, char **, char **);

static main_function program;

static int counted_main(int argc, char **argv, char **environment) {
    const char *at = getenv("FAIL_AT"), *more = getenv("FAIL_MORE");
    fail_at = at ? atol(at) : 0;
    fail_more = more && strcmp(more, "1") == 0;
    dl_iterate_phdr(spare, NULL);
    atexit(report);
    counting = 1;
    return program(argc, argv, environment);
}

int __libc_start_main(main_function function, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*unload)(void), void *stack_end);

int __libc_start_main(main_function function, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*unload)(void), void *stack_end) {
    int (*start)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *) = 0;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    program = function;
    return start(counted_main, argc, argv, init, fini, unload, stack_end);
}
