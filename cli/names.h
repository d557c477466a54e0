/* Names of samples or columns: the lines of a text file. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stdint.h>

typedef struct names {
    char *text; /* the file; line ends are replaced by zeros */
    char **line;
    int64_t count;
} names;

/* Prints errors; returns an exit code. Free even after a failure. */
int names_load(const char *path, names *found);
void names_free(names *found);

#endif
