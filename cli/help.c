/* Writes `dltf --help` and `dltf COMMAND --help` from the command descriptions and their option tables. */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80, INDENT = 28 };

/* Prints text wrapped at the right margin, followed by a line end. Continuation lines are indented by
 * `indent`; `at` is the current column. */
static void print_wrapped(FILE *out, const char *text, int indent, int at) {
    for (bool first = true; *text; first = false) {
        int length = (int)strcspn(text, " ");
        if (!first && at + 1 + length >= COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first)
            at += fprintf(out, " ");
        at += fprintf(out, "%.*s", length, text);
        text += length;
        text += *text == ' ';
    }
    fputc('\n', out);
}

/* The default as shown in the help, "" if it is not shown. */
static const char *default_of(const dl_option *option) {
    const char *text = option->default_text;
    if (!text)
        return "";
    if (option->kind == DL_OPTION_FLAG)
        return strcmp(text, "true") == 0 ? "on" : "";
    /* A help text that explains "0: ..." already covers a default of 0. */
    bool explained = strcmp(text, "0") == 0 && strstr(option->help, "0: ");
    return explained ? "" : text;
}

/* Whether the help text names every value of an option. */
static bool names_all(const dl_option *option) {
    char value[64];
    for (const char *at = option->choices; *at;) {
        size_t length = strcspn(at, "|");
        snprintf(value, sizeof value, "%.*s", (int)length, at);
        if (!strstr(option->help, value))
            return false;
        at += length;
        at += *at == '|';
    }
    return true;
}

/* "exact, approximate", or "" if there is nothing to add to the help text. */
static void list_values(const dl_option *option, char *text, size_t size) {
    text[0] = '\0';
    if (option->kind != DL_OPTION_CHOICE || names_all(option))
        return;
    size_t used = 0;
    for (const char *at = option->choices; *at && used + 2 < size; at++) {
        if (*at == '|')
            text[used++] = ',';
        text[used++] = *at == '|' ? ' ' : *at;
    }
    text[used] = '\0';
}

void help_facts(dl_option_table table, const dl_option *option, char *text, size_t size) {
    char scope[128], values[128];
    const char *standard = default_of(option);
    dl_option_scope(table, option, scope, sizeof scope);
    list_values(option, values, sizeof values);
    const char *facts[][2] = {{"for ", scope}, {"values: ", values}, {"default: ", standard}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof facts / sizeof *facts && used < size; i++)
        if (*facts[i][1])
            used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? "; " : "(", facts[i][0],
                                     facts[i][1]);
    if (used > 0 && used < size)
        snprintf(text + used, size - used, ")");
}

void help_formats(const command *self, char *text, size_t size) {
    text[0] = '\0';
    if (self->input)
        snprintf(text, size, "%s may be %s%s.", self->input, dl_format_list(self->content, DL_READ, "or"),
                 self->content == DL_CONTENT_MATRIX ? "; FILE.npz:NAME selects an array of an archive" : "");
}

typedef struct listing {
    FILE *out;
    const char *title; /* current heading */
} listing;

static void print_option(void *context, const char *title, dl_option_table table, const dl_option *option) {
    listing *list = context;
    char name[128], facts[256], text[1024];
    if (!list->title || strcmp(list->title, title) != 0)
        fprintf(list->out, "\n%s:\n", title);
    list->title = title;
    char letter[] = {' ', ' ', ' ', ' ', '\0'};
    if (option->letter)
        memcpy(letter, (char[]){'-', option->letter, ',', ' '}, 4);
    bool flag = option_is_flag(option);
    snprintf(name, sizeof name, "  %s--%s%s%s%s", letter, option_is_reversible(option) ? "[no-]" : "",
             option->name, flag ? "" : " ", flag ? "" : option->argument);
    help_facts(table, option, facts, sizeof facts);
    snprintf(text, sizeof text, "%s%s%s", option->help, *facts ? " " : "", facts);
    int width = (int)strlen(name);
    if (width >= INDENT - 1)
        fprintf(list->out, "%s\n%*s", name, INDENT, "");
    else
        fprintf(list->out, "%-*s", INDENT, name);
    print_wrapped(list->out, text, INDENT, INDENT);
}

void help_values(const command *self, const operand_choice *choice, char text[HELP_VALUES]) {
    int used = choice->values ? snprintf(text, HELP_VALUES, "--%s:", self->choices_option) : 0;
    text[used] = '\0';
    for (int i = 0; choice->values && choice->values[i] && used < HELP_VALUES; i++)
        used += snprintf(text + used, (size_t)(HELP_VALUES - used), "%s %s", i ? "," : "", choice->values[i]);
}

/* The possible values of the operand, with their descriptions. */
static void print_choices(FILE *out, const command *self) {
    operand_choice choice;
    fprintf(out, "\n%s:\n", self->choices_title);
    for (int i = 0; (choice = self->choices(i)).word; i++) {
        fprintf(out, "  %-*s", INDENT - 2, choice.word);
        print_wrapped(out, choice.summary, INDENT, INDENT);
        if (choice.details) {
            fprintf(out, "%*s", INDENT, "");
            print_wrapped(out, choice.details, INDENT, INDENT);
        }
        char values[HELP_VALUES];
        help_values(self, &choice, values);
        if (*values) {
            fprintf(out, "%*s", INDENT, "");
            print_wrapped(out, values, INDENT, INDENT);
        }
    }
}

/* ---- Commands ---- */

static void print_examples(FILE *out, const command *self) {
    fprintf(out, "\n%s:\n", self->examples[1] ? "Examples" : "Example");
    for (int i = 0; self->examples[i]; i++)
        fprintf(out, "  %s\n", self->examples[i]);
}

static void print_list(FILE *out, const command *const *list) {
    fputs("\nCommands:\n", out);
    for (int i = 0; list[i]; i++)
        fprintf(out, "  %-12s%s\n", command_word(list[i]), list[i]->summary);
}

static void print_group(FILE *out, const command *self) {
    fprintf(out, "dltf %s: %s\n\nUsage: dltf %s COMMAND [arguments]\n\n", self->name, self->summary,
            self->name);
    print_wrapped(out, self->details, 0, 0);
    print_list(out, self->subcommands);
    fprintf(out, "\n'dltf help %s COMMAND' or 'dltf %s COMMAND --help' describes a command.\n", self->name,
            self->name);
    print_examples(out, self);
}

static void print_command(FILE *out, const command *self) {
    fprintf(out, "dltf %s: %s\n\nUsage: dltf %s%s%s [options]\n\n", self->name, self->summary, self->name,
            self->operands ? " " : "", self->operands ? self->operands : "");
    char formats[256];
    help_formats(self, formats, sizeof formats);
    print_wrapped(out, self->details, 0, 0);
    if (*formats)
        print_wrapped(out, formats, 0, 0);
    if (self->json) {
        fputs("With --json: ", out);
        print_wrapped(out, self->json, 0, (int)strlen("With --json: "));
    }
    if (self->choices_title)
        print_choices(out, self);
    listing list = {out, NULL};
    command_visit_options(self, print_option, &list);
    print_examples(out, self);
}

void help_print_command(const command *self, FILE *out) {
    (self->subcommands ? print_group : print_command)(out, self);
}

void help_print_overview(FILE *out) {
    fputs("dltf: learns dictionaries for thresholded features z = max_k(W^T x)\n\n"
          "Usage: dltf COMMAND [arguments]\n",
          out);
    print_list(out, command_list);
    fputs(
        "\n'dltf help COMMAND' or 'dltf COMMAND --help' describes a command, 'dltf --version' the build.\n\n"
        "Example:\n"
        "  dltf synth -o toy                              generate a problem with a known answer\n"
        "  dltf train toy/X.npy -m 128 -k 8 -o toy.model.safetensors\n"
        "  dltf score toy.model.safetensors --truth toy   compare with the answer\n",
        out);
}
