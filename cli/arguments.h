/* The one parser of command lines, driven by option tables. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli/command.h"

enum { ARGUMENTS_MOST = 128 };

typedef struct arguments {
    const char *operands[4];               /* as many as the command names; NULL for a missing "[DATA]" */
    const char *given[ARGUMENTS_MOST + 1]; /* names of the options that were given, in order, maybe repeated;
                                            * NULL at the end */
    int operand_count, given_count;
    common_flags common;
    int exit_code; /* where nothing is left to run: help was printed, or what is wrong */
} arguments;

/* Fills own (the struct behind self->own) and library (behind self->library(); NULL where there is none) with
 * defaults and then with what the words say, and sets up the terminal output accordingly. False if the
 * command is to end with args->exit_code. */
bool arguments_parse(const command *self, int count, char **words, void *own, void *library, arguments *args);

/* Refuses options that do not apply to what the others ask for. Returns an exit code. */
int arguments_check(const arguments *args, dltf_option_table table, const void *target);

bool arguments_given(const arguments *args, const char *name);

/* The candidate closest to a mistyped word, NULL if none is close. Candidates end with NULL. */
const char *arguments_suggestion(const char *word, const char *const *candidates);

#endif
