/* Every fuzz target without libFuzzer, for builds by any compiler: `replay_corpus TARGET FOLDER` feeds it
 * each file of a corpus, as it is and with VARIANTS kinds of damage, the same ones in every run. */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VARIANTS = 2000, LONGEST = 1 << 16 };

#define TARGET(name)                                                                                         \
    int fuzz_##name##_test(const uint8_t *bytes, size_t size);                                               \
    __attribute__((weak)) int fuzz_##name##_initialize(int *argc, char ***argv);
#include "fuzz_list.h"
#undef TARGET

typedef struct {
    const char *name;
    int (*test)(const uint8_t *bytes, size_t size);
    int (*initialize)(int *argc, char ***argv); /* NULL: needs none */
} target;

static const target targets[] = {
#define TARGET(name) {#name, fuzz_##name##_test, fuzz_##name##_initialize},
#include "fuzz_list.h"
#undef TARGET
};

static char place[512]; /* what runs now, for the message about a crash */

static void crashed(int signal_number) {
    if (write(STDERR_FILENO, place, strlen(place)) < 0)
        _exit(1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static uint32_t state; /* of a linear congruential generator, reset for every file */

static size_t below(size_t bound) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
}

/* One of six kinds of damage; returns the new size. Extreme values of 32 bits are what sizes in headers break
 * on. */
static size_t damage(uint8_t *bytes, size_t size) {
    static const uint32_t extremes[] = {0,          1,          0x7fffffff, 0x80000000,
                                        0xffffffff, 0x7f800000, 0x7fc00000, 0x10000};
    size_t at = below(size), kind = below(6);
    uint32_t value = extremes[below(8)];
    switch (kind) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << below(8));
        return size;
    case 1:
        bytes[at] = (uint8_t)below(256);
        return size;
    case 2:
        memcpy(bytes + at, &value, size - at < 4 ? size - at : 4);
        return size;
    case 3: /* cut at the end */
        return at;
    case 4: /* cut in the middle */
        memmove(bytes + at, bytes + at + 1, size - at - 1);
        return size - 1;
    default: /* digits of a number in text */
        bytes[at] = (uint8_t)('0' + below(10));
        return size;
    }
}

static size_t content(const char *path, uint8_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t size = fread(bytes, 1, LONGEST, file);
    fclose(file);
    return size;
}

/* A copy of its own, exactly as long as the input, so that tools for memory errors see reads beyond it. */
static void feed(const target *t, const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        exit(1);
    memcpy(copy, bytes, size);
    t->test(copy, size);
    free(copy);
}

static void replay(const target *t, const char *path) {
    static uint8_t original[LONGEST], damaged[LONGEST];
    size_t size = content(path, original);
    state = 1;
    for (int variant = 0; variant <= VARIANTS; variant++) {
        size_t left = size;
        memcpy(damaged, original, size);
        for (int changes = variant ? 1 + variant % 3 : 0; changes > 0 && left > 0; changes--)
            left = damage(damaged, left);
        snprintf(place, sizeof place, "crashed: target %s, %s, variant %d\n", t->name, path, variant);
        feed(t, damaged, left);
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int replay_folder(const target *t, const char *folder) {
    DIR *entries = opendir(folder);
    char *paths[256];
    size_t count = 0;
    for (struct dirent *entry; entries && count < 256 && (entry = readdir(entries));) {
        size_t length = strlen(folder) + strlen(entry->d_name) + 2;
        if (entry->d_name[0] != '.' && (paths[count] = malloc(length)))
            snprintf(paths[count++], length, "%s/%s", folder, entry->d_name);
    }
    if (entries)
        closedir(entries);
    qsort(paths, count, sizeof *paths, by_name);
    for (size_t i = 0; i < count; i++) {
        replay(t, paths[i]);
        free(paths[i]);
    }
    printf("%s: %zu files, %d variants of each\n", t->name, count, VARIANTS);
    return count > 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    signal(SIGSEGV, crashed);
    signal(SIGABRT, crashed);
    signal(SIGFPE, crashed);
    for (size_t i = 0; argc == 3 && i < sizeof targets / sizeof *targets; i++) {
        const target *t = &targets[i];
        if (strcmp(argv[1], t->name) != 0)
            continue;
        if (t->initialize)
            t->initialize(&argc, &argv);
        return replay_folder(t, argv[2]);
    }
    fprintf(stderr, "usage: replay_corpus TARGET FOLDER\n");
    return 2;
}
