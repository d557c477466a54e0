/* Description of a command: its texts, its option tables and the function that runs it. Parser, help,
 * completion and manual page are all driven by it. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "program/program.h"

#include <stdio.h>
#include <string.h>

/* After a signal, the exit code is interrupt_exit_code(). */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* A possible value of a command's operand. */
typedef struct operand_choice {
    const char *word;          /* NULL ends the list */
    const char *summary;       /* one line, no full stop */
    const char *details;       /* full sentences; NULL if none */
    const char *const *values; /* values of the command's choices_option, NULL-terminated; NULL if none */
} operand_choice;

typedef struct command {
    const char *name;                 /* as typed after dltf: "train", "hash search" */
    const char *summary;              /* one line, no full stop */
    const char *operands;             /* such as "MODEL [DATA]", or a list, "IMAGES..."; NULL if none */
    const char *details;              /* a paragraph for help and manual */
    const char *input;                /* operand whose formats the help lists; NULL if none */
    dl_content content;               /* kind of content of that operand */
    dl_option_table own;              /* options of this command; first target of the parser */
    dl_option_table (*library)(void); /* options defined by the library, or NULL; second target */
    const char *library_title;        /* heading of library options in the help */
    bool reads_data;                  /* whether it has the options of reading data files */
    bool ranks;                       /* whether several processes can share the work */
    const char *json;                 /* what --json prints; NULL if unsupported */
    operand_choice (*choices)(int);   /* values of the operand, by index; NULL: a file */
    const char *choices_title;        /* heading of the choices in the help; NULL: not listed */
    const char *choices_option;       /* option that takes a list of a choice's values; NULL if none */
    const char *examples[8];          /* whole command lines, NULL-terminated */
    const struct command *const
        *subcommands; /* of a group, NULL-terminated; their names begin with its name */
    int (*run)(const struct command *self, int count, char **words); /* words after the name; exit code */
} command;

/* All commands, in the order of the help. ROW(name) refers to `const command command_name`, defined in its
 * own file; a new command needs that file and a row here. */
#define COMMANDS(ROW)                                                                                        \
    ROW(train)                                                                                               \
    ROW(suggest)                                                                                             \
    ROW(encode)                                                                                              \
    ROW(decode)                                                                                              \
    ROW(inspect)                                                                                             \
    ROW(evaluate)                                                                                            \
    ROW(top)                                                                                                 \
    ROW(report)                                                                                              \
    ROW(export)                                                                                              \
    ROW(import)                                                                                              \
    ROW(certify)                                                                                             \
    ROW(synth)                                                                                               \
    ROW(score)                                                                                               \
    ROW(plot)                                                                                                \
    ROW(noise)                                                                                               \
    ROW(denoise)                                                                                             \
    ROW(gist)                                                                                                \
    ROW(cluster)                                                                                             \
    ROW(hash)                                                                                                \
    ROW(pretrain)                                                                                            \
    ROW(classify)                                                                                            \
    ROW(reproduce)                                                                                           \
    ROW(completion)                                                                                          \
    ROW(manual)

/* The subcommands of groups: rows of the same kind. A group has a list here, and a file cmd_GROUP.c that
 * makes a table of it. */
#define HASH_COMMANDS(ROW)                                                                                   \
    ROW(hash_train)                                                                                          \
    ROW(hash_encode)                                                                                         \
    ROW(hash_evaluate)                                                                                       \
    ROW(hash_index)                                                                                          \
    ROW(hash_search)

#define CLASSIFY_COMMANDS(ROW)                                                                               \
    ROW(classify_train)                                                                                      \
    ROW(classify_predict)                                                                                    \
    ROW(classify_evaluate)

#define DECLARE(name) extern const command command_##name;
COMMANDS(DECLARE)
HASH_COMMANDS(DECLARE)
CLASSIFY_COMMANDS(DECLARE)
#undef DECLARE

/* NULL-terminated, groups without their subcommands. */
extern const command *const command_list[];

/* Walks over all commands that do something: those of command_list with the subcommands in place of their
 * group. NULL past the end. */
const command *command_leaf(int index);

/* Options shared by all commands; `json` only by those with JSON output. */
typedef struct common_flags {
    bool json, quiet, help;
} common_flags;

dl_option_table command_common_options(const command *self);
/* How data files are read; empty for commands without. */
dl_option_table command_reading_options(const command *self);

/* Calls `visit` once for every option of a command, in the order of the help, with its heading and its table.
 * An own option shadows a library option of the same name. */
typedef void (*option_visitor)(void *context, const char *title, dl_option_table table,
                               const dl_option *option);
void command_visit_options(const command *self, option_visitor visit, void *context);

/* Whether an option takes no value on the command line. */
static inline bool option_is_flag(const dl_option *option) {
    return option->kind == DL_OPTION_FLAG || option->kind == DL_OPTION_SWITCH;
}

/* Whether its opposite, --no-NAME, is worth listing: it differs from leaving the option out. */
static inline bool option_is_reversible(const dl_option *option) {
    return option->kind == DL_OPTION_SWITCH || (option->kind == DL_OPTION_FLAG && option->default_text &&
                                                strcmp(option->default_text, "true") == 0);
}

/* By the last word of its name, in command_list or the subcommands of a group; NULL if there is none. */
const command *command_find(const command *const *list, const char *word);

/* The last word of its name: "search" of "hash search". */
const char *command_word(const command *self);

/* Runs a command with the words after its name; returns an exit code. */
int command_run(const command *self, int count, char **words);
/* `run` of a group: runs the subcommand that the first word names. */
int command_run_group(const command *self, int count, char **words);

#endif
