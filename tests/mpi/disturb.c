/* LD_PRELOAD this to disturb one rank, RANK, or the only process, at files.
 *
 * DIE_AT=n: it is killed just before its n-th call that names, renames or removes a file of a checkpoint. A
 * kill at a random moment rarely comes between two of them. DIE_AT=removal: before the first call that
 * removes one, when the newest checkpoint is complete.
 *
 * DISK=n: the disk is full after n bytes. A limit of file sizes would end MPI before the program begins. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_chosen(void) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *chosen = getenv("RANK");
    rank = rank ? rank : getenv("PMI_RANK");
    return chosen && strcmp(rank ? rank : "0", chosen) == 0;
}

static void count(const char *name) {
    static long calls;
    const char *at = getenv("DIE_AT");
    if (at && is_chosen() && (strstr(name, ".checkpoint") || strstr(name, ".dltf-")) && ++calls == atol(at))
        kill(getpid(), SIGKILL);
}

static void count_removal(const char *name) {
    const char *at = getenv("DIE_AT");
    if (at && strcmp(at, "removal") == 0 && is_chosen() && strstr(name, ".checkpoint"))
        kill(getpid(), SIGKILL);
    count(name);
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
    count_removal(name);
    return next(folder, name, flags);
}

int unlink(const char *name) {
    int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");
    count_removal(name);
    return next(name);
}

size_t fwrite(const void *bytes, size_t size, size_t items, FILE *file) {
    static size_t (*next)(const void *, size_t, size_t, FILE *);
    static size_t written;
    const char *disk = getenv("DISK");
    next = next ? next : dlsym(RTLD_NEXT, "fwrite");
    if (disk && file != stdout && file != stderr && is_chosen()) {
        written += size * items;
        if (written > (size_t)atol(disk)) {
            errno = ENOSPC;
            return 0;
        }
    }
    return next(bytes, size, items, file);
}
