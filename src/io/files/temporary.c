/* Temporary files: created, named, removed if stale. */
#define _GNU_SOURCE /* O_TMPFILE, O_PATH */

#include "io/files/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 20, PERMISSIONS = 0666, PROC_NAME = 32 };

static void proc_name(int descriptor, char path[PROC_NAME]) {
    snprintf(path, PROC_NAME, "/proc/self/fd/%d", descriptor);
}

int dl_temporary_folder(const char *path) {
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* A file without name can get one through /proc only. */
static int create_unnamed(int folder, const char *path, mode_t mode) {
    char proc[PROC_NAME];
    int descriptor = openat(folder, path, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (descriptor < 0)
        return -1;
    proc_name(descriptor, proc);
    if (access(proc, F_OK) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/* Short, so that it fits wherever the target fits, and the same for all writers of a target. */
static void choose_name(const char *target, int attempt, char name[DL_TEMPORARY_NAME]) {
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *target; target++)
        hash = (hash ^ (unsigned char)*target) * UINT64_C(1099511628211);
    snprintf(name, DL_TEMPORARY_NAME, ".dltf-%016llx-%02d.tmp", (unsigned long long)hash, attempt);
}

static bool is_named(int folder, const char *name, int descriptor) {
    struct stat there, here;
    return fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && fstat(descriptor, &here) == 0 &&
           there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

/* A file that no process has locked was written by one that was killed. The holder of the lock is the only
 * one who may remove the name. Opened for writing: NFS locks exclusively only then. */
static void remove_if_stale(int folder, const char *name) {
    int descriptor = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_named(folder, name, descriptor))
        unlinkat(folder, name, 0);
    close(descriptor);
}

static void remove_stale(int folder, const char *target) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        char name[DL_TEMPORARY_NAME];
        choose_name(target, attempt, name);
        remove_if_stale(folder, name);
    }
}

bool dl_temporary_remove_any(int folder, const char *name) {
    char digits[17] = "", attempt[3] = "", wanted[DL_TEMPORARY_NAME];
    if (sscanf(name, ".dltf-%16[0-9a-f]-%2[0-9].tmp", digits, attempt) != 2)
        return false;
    snprintf(wanted, sizeof wanted, ".dltf-%s-%s.tmp", digits, attempt);
    if (strcmp(name, wanted) != 0)
        return false;
    remove_if_stale(folder, name);
    return true;
}

/* Locks a file that was just created, unless it was taken for a stale one. File systems without locks need
 * none: nothing is removed there. */
static bool keep(int folder, const char *name, int descriptor) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK;
    return is_named(folder, name, descriptor);
}

int dl_temporary_create_named(int folder, const char *target, char name[DL_TEMPORARY_NAME]) {
    remove_stale(folder, target);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        choose_name(target, attempt, name);
        int descriptor = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, PERMISSIONS);
        if (descriptor >= 0 && keep(folder, name, descriptor))
            return descriptor;
        if (descriptor >= 0)
            close(descriptor);
        else if (errno != EEXIST)
            break;
    }
    name[0] = '\0';
    return -1;
}

int dl_temporary_create(int folder, const char *target, char name[DL_TEMPORARY_NAME]) {
    name[0] = '\0';
    int descriptor = create_unnamed(folder, ".", PERMISSIONS);
    if (descriptor < 0)
        return dl_temporary_create_named(folder, target, name);
    remove_stale(folder, target);
    return descriptor;
}

static int link_unnamed(int folder, int descriptor, const char *name) {
    char proc[PROC_NAME];
    proc_name(descriptor, proc);
    return linkat(AT_FDCWD, proc, folder, name, AT_SYMLINK_FOLLOW);
}

/* A link cannot replace a file, a rename can: the file needs a name for a moment. */
static int name_for_rename(int folder, int descriptor, const char *target, char name[DL_TEMPORARY_NAME]) {
    (void)flock(descriptor, LOCK_EX | LOCK_NB);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        choose_name(target, attempt, name);
        if (link_unnamed(folder, descriptor, name) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    name[0] = '\0';
    return -1;
}

int dl_temporary_publish(int folder, int descriptor, const char *target, char name[DL_TEMPORARY_NAME]) {
    if (!name[0]) {
        if (link_unnamed(folder, descriptor, target) == 0)
            return 0;
        if (errno != EEXIST || name_for_rename(folder, descriptor, target, name) != 0)
            return -1;
    }
    if (renameat(folder, name, folder, target) != 0)
        return -1;
    name[0] = '\0';
    return 0;
}

int dl_temporary_scratch(const char *folder) {
    char path[PATH_MAX];
    int descriptor = create_unnamed(AT_FDCWD, folder, 0600);
    if (descriptor >= 0)
        return descriptor;
    if (snprintf(path, sizeof path, "%s/dltf-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0)
        unlink(path);
    return descriptor;
}
