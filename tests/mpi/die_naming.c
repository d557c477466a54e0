/* LD_PRELOAD this to kill a rank, or the only process, just before the call with number DIE_AT that names,
 * renames or removes a file of a checkpoint. DIE_RANK is the rank; ranks count their own calls. A kill at a
 * random moment rarely comes between two of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_victim(void) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *victim = getenv("DIE_RANK");
    rank = rank ? rank : getenv("PMI_RANK");
    return victim && strcmp(rank ? rank : "0", victim) == 0;
}

static void count(const char *name) {
    static long calls;
    const char *at = getenv("DIE_AT");
    if (at && is_victim() && (strstr(name, ".checkpoint") || strstr(name, ".dltf-")) && ++calls == atol(at))
        kill(getpid(), SIGKILL);
}

int linkat(int from, const char *old, int to, const char *name, int flags) {
    int (*next)(int, const char *, int, const char *, int) = dlsym(RTLD_NEXT, "linkat");
    count(name);
    return next(from, old, to, name, flags);
}

int renameat(int from, const char *old, int to, const char *name) {
    int (*next)(int, const char *, int, const char *) = dlsym(RTLD_NEXT, "renameat");
    count(name);
    return next(from, old, to, name);
}

int unlinkat(int folder, const char *name, int flags) {
    int (*next)(int, const char *, int) = dlsym(RTLD_NEXT, "unlinkat");
    count(name);
    return next(folder, name, flags);
}

int unlink(const char *name) {
    int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");
    count(name);
    return next(name);
}
