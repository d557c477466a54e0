/* What a subcommand is: its words, its option tables and the function that runs it. Parser, help, completion
 * and manual page all read this one description. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "dltf.h"

#include <stdio.h>

/* After a signal: interrupt_exit_code(). */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* A word that the operand of a command may be. */
typedef struct operand_choice {
    const char *word;          /* NULL: there are no more */
    const char *summary;       /* one line, no full stop */
    const char *details;       /* more sentences; NULL: none */
    const char *const *values; /* NULL-terminated: what the command's choices_option may list; NULL: none */
} operand_choice;

typedef struct command {
    const char *name;
    const char *summary;                /* one line, no full stop */
    const char *operands;               /* "MODEL [DATA]"; NULL for none */
    const char *details;                /* a paragraph for help and manual */
    const char *input;                  /* the operand whose formats the help lists; NULL for none */
    dltf_content content;               /* of that operand */
    dltf_option_table own;              /* options of this command alone; first target of the parser */
    dltf_option_table (*library)(void); /* options that the library describes, or NULL; second target */
    const char *library_title;          /* heading of those in the help */
    const char *json;                   /* what --json prints; NULL where there is no --json */
    operand_choice (*choices)(int);     /* what the operand may be, by index; NULL: a file */
    const char *choices_title;          /* heading of these in the help; NULL: not listed there */
    const char *choices_option;         /* the option that lists some of a choice's values; NULL: none */
    const char *examples[6];            /* whole command lines, NULL-terminated */
    int (*run)(const struct command *self, int count, char **words); /* words after the name; exit code */
} command;

/* All of them, in the order of the help. ROW(name) stands for a `const command command_name` in a file of its
 * own; a new one needs that file and a row here. */
#define COMMANDS(ROW)                                                                                        \
    ROW(train)                                                                                               \
    ROW(encode)                                                                                              \
    ROW(decode)                                                                                              \
    ROW(inspect)                                                                                             \
    ROW(certify)                                                                                             \
    ROW(synth)                                                                                               \
    ROW(score)                                                                                               \
    ROW(noise)                                                                                               \
    ROW(denoise)                                                                                             \
    ROW(reproduce)                                                                                           \
    ROW(completion)                                                                                          \
    ROW(manual)

#define DECLARE(name) extern const command command_##name;
COMMANDS(DECLARE)
#undef DECLARE

/* NULL-terminated. */
extern const command *const command_list[];

/* The options that every command has, or every command with JSON output. */
typedef struct common_flags {
    bool json, quiet, help;
} common_flags;

dltf_option_table command_common_options(const command *self);

/* Every option of a command once, in the order of the help: calls visit with the heading it stands under and
 * its table. An own option hides the library's of the same name. */
typedef void (*option_visitor)(void *context, const char *title, dltf_option_table table,
                               const dltf_option *option);
void command_visit_options(const command *self, option_visitor visit, void *context);

const command *command_find(const char *name);

#endif
