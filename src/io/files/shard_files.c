/* Shards and their temporary files are found by listing the folder: their names contain a generation, which
 * for a training that was killed is unknown. */
#include "io/files/shard_files.h"

#include "base/memory.h"
#include "io/files/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { GENERATION = 16, TAIL = 64 };

char *dl_shard_path(const char *path, const char *generation, int64_t number, int64_t count) {
    int64_t size = (int64_t)(strlen(path) + strlen(generation)) + TAIL;
    char *name = dl_alloc(size, 1);
    if (name)
        snprintf(name, (size_t)size, "%s.%s-%lld-of-%lld", path, generation, (long long)number + 1,
                 (long long)count);
    return name;
}

/* The text after a run of such characters, of `length` or, if that is 0, at least one; NULL if there is no
 * such run. */
static const char *after(const char *text, const char *characters, size_t length) {
    size_t found = text ? strspn(text, characters) : 0;
    return found > 0 && (length == 0 || found == length) ? text + found : NULL;
}

/* The generation in the name of a shard of `target`; NULL if it is another file. */
static const char *generation_of(const char *name, const char *target) {
    static const char digits[] = "0123456789", of[] = "-of-";
    size_t length = strlen(target);
    if (strncmp(name, target, length) != 0 || name[length] != '.')
        return NULL;
    const char *generation = name + length + 1, *rest = after(generation, "0123456789abcdef", GENERATION);
    rest = rest && *rest == '-' ? after(rest + 1, digits, 0) : NULL;
    rest = rest && strncmp(rest, of, strlen(of)) == 0 ? after(rest + strlen(of), digits, 0) : NULL;
    return rest && *rest == '\0' ? generation : NULL;
}

static const char *name_in(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder of a checkpoint; NULL if it cannot be read or memory is exhausted. */
static DIR *open_folder(const char *path) {
    int64_t length = name_in(path) - path;
    char *folder = dl_alloc(length + 2, 1);
    if (!folder)
        return NULL;
    memcpy(folder, length > 0 ? path : ".", length > 0 ? (size_t)length : 1);
    DIR *list = opendir(folder);
    dl_free(folder);
    return list;
}

void dl_shards_clean(const char *path) {
    DIR *list = open_folder(path);
    struct dirent *entry = NULL;
    while (list && (entry = readdir(list)))
        dl_temporary_remove_any(dirfd(list), entry->d_name);
    if (list)
        closedir(list);
}

void dl_shards_remove(const char *path, const char *keep) {
    DIR *list = open_folder(path);
    struct dirent *entry = NULL;
    while (list && (entry = readdir(list))) {
        if (dl_temporary_remove_any(dirfd(list), entry->d_name))
            continue;
        const char *generation = generation_of(entry->d_name, name_in(path));
        if (generation && !(keep && strncmp(generation, keep, GENERATION) == 0))
            unlinkat(dirfd(list), entry->d_name, 0);
    }
    if (list)
        closedir(list);
}
