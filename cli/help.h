/* Help texts, written from the descriptions of the commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

void help_print_overview(FILE *out);
void help_print_command(const command *self);

/* A sentence on the formats of the command's input; empty where there is none. */
void help_formats(const command *self, char *text, size_t size);

/* What help and manual say after the description of an option: "(for encoder tied; default: 0.003)", or "".
 */
void help_facts(dltf_option_table table, const dltf_option *option, char *text, size_t size);

/* "--option: value, value, ...": what the option of the command may list for this operand. Allocated; NULL
 * without memory. */
char *help_values(const command *self, const operand_choice *choice);

#endif
