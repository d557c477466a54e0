/* dltf completion: prints a bash completion script that is made from the same tables as the parser. It needs
 * nothing but bash itself. */
#include "cli/arguments.h"
#include "cli/output.h"

#include <string.h>

/* ---- Words of one command ---- */

static void print_option_words(void *context, const char *title, dltf_option_table table,
                               const dltf_option *option) {
    (void)title, (void)table;
    FILE *out = context;
    fprintf(out, " --%s", option->name);
    if (option->letter)
        fprintf(out, " -%c", option->letter);
}

typedef struct value_context {
    FILE *out;
    const command *self;
} value_context;

static void print_choices(FILE *out, const char *choices) {
    for (const char *at = choices; *at; at++)
        fputc(*at == '|' ? ' ' : *at, out);
}

/* An option whose values depend on the operand, which is then the word after the command. */
static void print_operand_cases(FILE *out, const command *self) {
    operand_choice choice;
    fputs("case ${COMP_WORDS[2]} in\n", out);
    for (int i = 0; (choice = self->choices(i)).word; i++) {
        fprintf(out, "      %s) _dltf_list \"", choice.word);
        for (int v = 0; choice.values && choice.values[v]; v++)
            fprintf(out, "%s%s", v ? " " : "", choice.values[v]);
        fputs("\" ;;\n", out);
    }
    fputs("      esac; return ;;\n", out);
}

/* What may follow an option that takes a value: its choices, a number (nothing to offer), or a file. A text
 * that has choices is one of them or a file. */
static void print_value_case(void *context, const char *title, dltf_option_table table,
                             const dltf_option *option) {
    (void)title, (void)table;
    value_context *c = context;
    if (option->kind == DLTF_OPTION_FLAG)
        return;
    const char *name = c->self->name, *listing = c->self->choices_option;
    fprintf(c->out, "    %s,--%s", name, option->name);
    if (option->letter)
        fprintf(c->out, " | %s,-%c", name, option->letter);
    fputs(") ", c->out);
    if (listing && strcmp(listing, option->name) == 0)
        print_operand_cases(c->out, c->self);
    else if (option->choices) {
        fputs(option->kind == DLTF_OPTION_TEXT ? "_dltf_words_files \"" : "_dltf_words \"", c->out);
        print_choices(c->out, option->choices);
        fputs("\"; return ;;\n", c->out);
    } else
        fputs(option->kind == DLTF_OPTION_TEXT ? "_dltf_files; return ;;\n" : "return ;;\n", c->out);
}

/* ---- The script ---- */

static const char head[] =
    "# bash completion for dltf; made by 'dltf completion bash'\n"
    "_dltf_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\"); }\n"
    "_dltf_files() { mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); }\n"
    "_dltf_words_files() { mapfile -t COMPREPLY < <(compgen -f -W \"$1\" -- \"$word\"); }\n"
    "_dltf_list() {\n"
    "  local before=; [[ $word != *,* ]] || before=${word%,*},\n"
    "  mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${word##*,}\")\n"
    "}\n"
    "_dltf() {\n"
    "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
    "  COMPREPLY=()\n";

static void print_command_names(FILE *out) {
    for (int i = 0; command_list[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", command_list[i]->name);
}

static void print_script(FILE *out) {
    fputs(head, out);
    fputs("  if ((COMP_CWORD == 1)); then _dltf_words \"", out);
    print_command_names(out);
    fputs(" help --help --version\"; return; fi\n  case $command,$previous in\n    help,*) _dltf_words \"",
          out);
    print_command_names(out);
    fputs("\"; return ;;\n", out);
    for (int i = 0; command_list[i]; i++) {
        value_context context = {out, command_list[i]};
        command_visit_options(command_list[i], print_value_case, &context);
    }
    fputs("  esac\n  if [[ $word == -* ]]; then\n    case $command in\n", out);
    for (int i = 0; command_list[i]; i++) {
        fprintf(out, "      %s) _dltf_words \"", command_list[i]->name);
        command_visit_options(command_list[i], print_option_words, out);
        fputs("\" ;;\n", out);
    }
    fputs("    esac\n    return\n  fi\n  case $command in\n", out);
    for (int i = 0; command_list[i]; i++) {
        const command *self = command_list[i];
        operand_choice choice;
        if (!self->choices)
            continue;
        fprintf(out, "    %s) _dltf_words \"", self->name);
        for (int o = 0; (choice = self->choices(o)).word; o++)
            fprintf(out, "%s%s", o ? " " : "", choice.word);
        fputs("\" ;;\n", out);
    }
    fputs("    *) _dltf_files ;;\n  esac\n}\ncomplete -o filenames -F _dltf dltf\n", out);
}

static operand_choice shell(int index) {
    return (operand_choice){.word = index == 0 ? "bash" : NULL};
}

static int run(const command *self, int count, char **words) {
    arguments args;
    if (!arguments_parse(self, count, words, NULL, NULL, &args))
        return args.exit_code;
    if (strcmp(args.operands[0], "bash") != 0)
        return usage_error("there is no completion for '%s'; there is one for bash", args.operands[0]);
    print_script(stdout);
    return EXIT_OK;
}

const command command_completion = {
    .name = "completion",
    .summary = "print a completion script for the shell",
    .operands = "SHELL",
    .details =
        "Prints a script that lets the shell complete commands, options and their values. SHELL is bash.",
    .choices = shell,
    .examples = {"source <(dltf completion bash)",
                 "dltf completion bash > ~/.local/share/bash-completion/completions/dltf", NULL},
    .run = run,
};
