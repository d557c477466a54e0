/* The command-line parser, driven by option tables. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli/command.h"

enum { ARGUMENTS_MAX = 128 };

typedef struct arguments {
    const char *operands[4];              /* as listed by the command; NULL for an omitted "[DATA]" */
    char **list;                          /* instead, for an operand such as "IMAGES...": one or more words */
    const char *given[ARGUMENTS_MAX + 1]; /* names of the options given, in order, possibly repeated;
                                           * NULL-terminated */
    int operand_count, given_count;
    common_flags common;
    dl_reading reading; /* of commands that read data */
    int exit_code;      /* if the command is not to run: help or an error was printed */
} arguments;

/* Fills `own` (the target of self->own) and `library` (the target of self->library(), or NULL) with defaults,
 * then with the parsed options, and configures the terminal output. Returns false if the command should exit
 * with args->exit_code. */
bool arguments_parse(const command *self, int count, char **words, void *own, void *library, arguments *args);

/* Rejects options that do not apply in combination with the others. Returns an exit code. */
int arguments_check(const arguments *args, dl_option_table table, const void *target);

bool arguments_given(const arguments *args, const char *name);

/* --help takes precedence over all errors on the command line. */
bool arguments_ask_for_help(int count, char **words);

/* An error for a word that names no command of the group, or of the program if it is NULL. Returns an exit
 * code. */
int arguments_unknown_command(const command *group, const char *word);

/* The candidate closest to a mistyped word, NULL if none is close. `candidates` is NULL-terminated. */
const char *arguments_suggestion(const char *word, const char *const *candidates);

#endif
