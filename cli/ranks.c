/* Comparison of command lines and input files with those of rank 0. Ranks exchange checksums; only if these
 * differ does rank 0 send what it has, so that the others can name the difference. */
#include "cli/ranks.h"

#include "cli/files.h"
#include "cli/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int ranks_agree(int code) {
    dltf_status mine = code == EXIT_OK ? DLTF_OK : code == EXIT_USAGE ? DLTF_ARGUMENT : DLTF_FILE;
    dltf_status status = dltf_ranks_agree(mine, output_message());
    return code == EXIT_OK && status != DLTF_OK ? library_failure(status) : code;
}

/* ---- The command line ---- */

/* Strings, each with its terminating zero: version, build, the words of the command line. */
typedef struct list {
    char *text;
    int64_t size;
} list;

enum { VERSION, BUILD }; /* places in a list */
enum { LONGEST_OPTION = 64 };

static void add(list *l, const char *word) {
    size_t size = strlen(word) + 1;
    if (l->text)
        memcpy(l->text + l->size, word, size);
    l->size += (int64_t)size;
}

/* Machines may have different numbers of cores. */
static void add_words(list *l, int count, char **words) {
    l->size = 0;
    add(l, dltf_version());
    add(l, dltf_build());
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "--threads") == 0)
            i++;
        else if (strncmp(words[i], "--threads=", strlen("--threads=")) != 0)
            add(l, words[i]);
}

/* A word in quotes, after the option that it may be the value of; "nothing" at the end of a list. */
static const char *quoted(char text[512], const char *option, const char *word, bool is_end) {
    snprintf(text, 512, "'%s%s%.300s'", option, *option ? " " : "", word);
    return is_end ? "nothing" : text;
}

/* The first difference from the list of rank 0, as an error; EXIT_OK if there is none. */
static int compare_lists(list mine, list first) {
    const char *own = mine.text, *other = first.text, *option = "";
    const char *own_end = own + mine.size, *other_end = other + first.size;
    char here[512], there[512];
    int place = VERSION;
    for (; own < own_end && other < other_end && strcmp(own, other) == 0; place++) {
        option = *own == '-' && strlen(own) < LONGEST_OPTION ? own : "";
        own += strlen(own) + 1;
        other += strlen(other) + 1;
    }
    if (own == own_end && other == other_end)
        return EXIT_OK;
    if (place == VERSION)
        return usage_error("version %s, but rank 0 runs %s: start the same version on every rank", own,
                           other);
    if (place == BUILD)
        return usage_error("%s; but on rank 0 %s: results would be rounded differently; start the same build "
                           "on every rank, and set DLTF_KERNELS and OPENBLAS_CORETYPE to what all machines "
                           "have",
                           own, other);
    return usage_error("found %s on the command line, but %s on that of rank 0: start the same command on "
                       "every rank",
                       quoted(here, option, own, own == own_end),
                       quoted(there, option, other, other == other_end));
}

static int explain_command(list mine) {
    list first = {.size = mine.size};
    dltf_status status = dltf_ranks_broadcast(&first.size, sizeof first.size);
    if (status != DLTF_OK)
        return library_failure(status);
    first.text = malloc((size_t)first.size);
    int code = ranks_agree(first.text ? EXIT_OK : failure("not enough memory for the command line"));
    if (code == EXIT_OK) {
        if (dltf_rank() == 0)
            memcpy(first.text, mine.text, (size_t)mine.size);
        status = dltf_ranks_broadcast(first.text, first.size);
        code = status == DLTF_OK ? compare_lists(mine, first) : library_failure(status);
    }
    free(first.text);
    return ranks_agree(code);
}

int ranks_check_command(int count, char **words) {
    list mine = {.text = NULL};
    bool same = true;
    if (dltf_ranks() == 1)
        return EXIT_OK;
    add_words(&mine, count, words); /* measures the list */
    mine.text = malloc((size_t)mine.size);
    if (!mine.text)
        return failure("not enough memory for the command line");
    add_words(&mine, count, words);
    dltf_status status = dltf_ranks_same(mine.text, mine.size, &same);
    int code = status == DLTF_OK ? EXIT_OK : library_failure(status);
    if (!same)
        code = explain_command(mine);
    free(mine.text);
    return code;
}

/* ---- Input files ---- */

/* A file is compared as a whole if it has no more than `blocks` blocks; otherwise this many at equal
 * distances, the first and the last among them. */
enum { BLOCK = 1 << 14, ALL_BLOCKS = 256, LEAST_BLOCKS = 4 };

typedef struct sample {
    int64_t size; /* of the file; -1 if it cannot be read */
    int64_t used; /* bytes of the blocks */
    char bytes[];
} sample;

static int64_t block_place(int64_t size, int64_t blocks, int64_t i) {
    if (size <= blocks * BLOCK)
        return i * BLOCK;
    return i == blocks - 1 ? size - BLOCK : (size - BLOCK) / (blocks - 1) * i;
}

static bool read_bytes(int file, int64_t place, int64_t count, char *bytes) {
    while (count > 0) {
        ssize_t got = pread(file, bytes, (size_t)count, place);
        if (got <= 0)
            return false;
        place += got;
        bytes += got;
        count -= got;
    }
    return true;
}

/* The file is a regular one. */
static void read_sample(const char *path, int64_t blocks, sample *s) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && fstat(file, &info) == 0;
    s->size = good ? info.st_size : -1;
    s->used = s->size < blocks * BLOCK ? s->size : blocks * BLOCK;
    for (int64_t done = 0; good && done < s->used; done += BLOCK) {
        int64_t count = s->used - done < BLOCK ? s->used - done : BLOCK;
        good = read_bytes(file, block_place(s->size, blocks, done / BLOCK), count, s->bytes + done);
    }
    if (!good) {
        s->size = -1;
        s->used = 0;
    }
    if (file >= 0)
        close(file);
}

/* A difference from the file of rank 0, as an error; EXIT_OK if there is none, or if a rank cannot read the
 * file: it will fail when it loads the file, with the reason. */
static int compare_samples(const char *name, int64_t blocks, const sample *mine, const sample *first) {
    int64_t i = 0;
    if (mine->size < 0 || first->size < 0)
        return EXIT_OK;
    if (mine->size != first->size)
        return failure("%s: %lld bytes, but %lld on rank 0: every rank must read the same file", name,
                       (long long)mine->size, (long long)first->size);
    while (i < mine->used && mine->bytes[i] == first->bytes[i])
        i++;
    if (i == mine->used)
        return EXIT_OK;
    return failure("%s: differs from the file of rank 0 at byte %lld: every rank must read the same file",
                   name, (long long)(block_place(mine->size, blocks, i / BLOCK) + i % BLOCK));
}

static int check_file(const char *name, int64_t blocks, sample *mine, sample *first) {
    int64_t size = (int64_t)sizeof *mine + blocks * BLOCK;
    struct stat info;
    bool same = true;
    char *path = files_container(name);
    if (!path)
        return failure("not enough memory for a file name");
    mine->size = -1;
    mine->used = 0;
    bool exists = stat(path, &info) == 0, stream = exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    if (exists && S_ISREG(info.st_mode))
        read_sample(path, blocks, mine);
    free(path);
    if (stream)
        return usage_error("%s: is not a regular file: ranks cannot share a stream", name);
    dltf_status status = dltf_ranks_same(mine, (int64_t)sizeof *mine + mine->used, &same);
    if (status == DLTF_OK && !same) {
        memcpy(first, mine, (size_t)size);
        status = dltf_ranks_broadcast(first, size);
    }
    if (status != DLTF_OK)
        return library_failure(status);
    return same ? EXIT_OK : ranks_agree(compare_samples(name, blocks, mine, first));
}

int ranks_check_files(int count, const char *const *names) {
    if (dltf_ranks() == 1)
        return EXIT_OK;
    int64_t blocks = ALL_BLOCKS / (count > 0 ? count : 1);
    blocks = blocks < LEAST_BLOCKS ? LEAST_BLOCKS : blocks;
    size_t size = sizeof(sample) + (size_t)blocks * BLOCK;
    sample *mine = calloc(1, size), *first = calloc(1, size);
    int code = mine && first ? EXIT_OK : failure("not enough memory to compare the files of ranks");
    for (int i = 0; i < count && code == EXIT_OK; i++)
        if (names[i])
            code = check_file(names[i], blocks, mine, first);
    free(mine);
    free(first);
    return code;
}
