/* Completion scripts, generated from the tables of the parser. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stddef.h>
#include <stdio.h>

/* All shells. ROW(name) refers to `void completion_name(FILE *out)`, which prints the script. */
#define SHELLS(ROW)                                                                                          \
    ROW(bash)                                                                                                \
    ROW(fish)                                                                                                \
    ROW(zsh)

#define DECLARE(name) void completion_##name(FILE *out);
SHELLS(DECLARE)
#undef DECLARE

/* The beginning of a help text, for a line of a menu: up to the first of ";:(." */
void completion_hint(const char *help, char *hint, size_t size);

#endif
