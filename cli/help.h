/* Help texts, generated from the descriptions of the commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

void help_print_overview(FILE *out);
/* Of a group: the list of its commands. */
void help_print_command(const command *self, FILE *out);

/* A sentence listing the formats of the command's input; empty if it has none. */
void help_formats(const command *self, char *text, size_t size);

/* Scope and default of an option, such as "(for encoder tied; default: 0.003)", or "". */
void help_facts(dl_option_table table, const dl_option *option, char *text, size_t size);

/* "--option: value, value, ...": the values of the command's choices_option for this operand; "" if none. */
enum { HELP_VALUES = 2048 };
void help_values(const command *self, const operand_choice *choice, char text[HELP_VALUES]);

#endif
