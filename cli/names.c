/* Reading names. */
#include "cli/names.h"

#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 1 << 16 };

/* The whole file, with a zero at its end. Returns its length, -1 if out of memory. */
static int64_t read_all(FILE *file, char **text) {
    size_t used = 0, size = 0, got = 1;
    while (got > 0) {
        if (used + 1 >= size) {
            size = size == 0 ? FIRST_SIZE : 2 * size;
            char *larger = realloc(*text, size);
            if (!larger)
                return -1;
            *text = larger;
        }
        got = fread(*text + used, 1, size - used - 1, file);
        used += got;
    }
    (*text)[used] = '\0';
    return (int64_t)used;
}

static int64_t count_lines(const char *text, int64_t length) {
    int64_t count = length > 0 && text[length - 1] != '\n';
    for (int64_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count;
}

static int split(names *found, int64_t length) {
    found->count = count_lines(found->text, length);
    found->line = calloc((size_t)found->count + 1, sizeof *found->line);
    if (!found->line)
        return failure("not enough memory for %s", counted(found->count, "name"));
    char *at = found->text, *end = found->text + length;
    for (int64_t i = 0; i < found->count; i++) {
        char *next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        found->line[i] = at;
        *next = '\0';
        if (next > at && next[-1] == '\r')
            next[-1] = '\0';
        at = next + 1;
    }
    return EXIT_OK;
}

int names_load(const char *path, names *found) {
    *found = (names){NULL, NULL, 0};
    FILE *file = fopen(path, "r");
    if (!file)
        return failure("%s: cannot open: %s", path, strerror(errno));
    int64_t length = read_all(file, &found->text);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error != 0)
        return failure("%s: cannot read: %s", path, strerror(error));
    if (length == 0)
        return failure("%s: is empty: expected a name on each line", path);
    return length < 0 ? failure("%s: not enough memory", path) : split(found, length);
}

void names_free(names *found) {
    free(found->text);
    free(found->line);
    *found = (names){NULL, NULL, 0};
}
