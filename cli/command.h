/* What a subcommand is: its words, its option tables and the function that runs it. Parser, help, completion
 * and manual page all read this one description. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "dltf.h"

#include <stdio.h>

/* After a signal: interrupt_exit_code(). */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

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
    void (*operand_words)(FILE *out);   /* prints what the operand may be, for completion; NULL: a file */
    const char *examples[6];            /* whole command lines, NULL-terminated */
    int (*run)(const struct command *self, int count, char **words); /* words after the name; exit code */
} command;

/* In the order of the help, NULL-terminated. */
extern const command *const command_list[];

extern const command command_train, command_encode, command_decode, command_inspect, command_certify,
    command_synth, command_score, command_noise, command_denoise, command_reproduce, command_completion,
    command_manual;

/* The options that every command has, or every command with JSON output. */
typedef struct common_flags {
    bool json, quiet, help;
} common_flags;

dltf_option_table command_common_options(const command *self);

/* Every option of a command once, in the order of the help: calls visit with the heading it stands under. An
 * own option hides the library's of the same name. */
typedef void (*option_visitor)(void *context, const char *title, const dltf_option *option);
void command_visit_options(const command *self, option_visitor visit, void *context);

const command *command_find(const char *name);

#endif
