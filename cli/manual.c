/* dltf manual: prints the manual page dltf.1 in mdoc, generated from the tables of the parser. The build
 * installs the output. */
#include "cli/arguments.h"
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

/* The date of the interface, not of the build: the page changes only with the program. */
static const char interface_date[] = "November 15, 2026";

enum { LINE_MAX_LENGTH = 76 };

/* Prints a word, escaped so that roff takes no part of it as a request. */
static int print_word(FILE *out, const char *word, int length, bool starts_line) {
    int printed = 0;
    if (starts_line && (*word == '.' || *word == '\''))
        printed += fprintf(out, "\\&");
    for (int i = 0; i < length; i++)
        if (word[i] == '\\')
            printed += fprintf(out, "\\e");
        else if (word[i] == '^')
            printed += fprintf(out, "\\(ha");
        else if (word[i] == '-' && i == 0)
            printed += fprintf(out, "\\-");
        else
            printed += fprintf(out, "%c", word[i]);
    return printed;
}

/* Prints text in short lines, with a new line for each sentence as mdoc requires. */
static void print_text(FILE *out, const char *text) {
    int column = 0;
    bool sentence_ended = false;
    while (*text) {
        int length = (int)strcspn(text, " ");
        bool breaks = column > 0 && (sentence_ended || column + length > LINE_MAX_LENGTH);
        if (column > 0)
            fputc(breaks ? '\n' : ' ', out);
        column = breaks ? 0 : column + (column > 0);
        column += print_word(out, text, length, column == 0);
        sentence_ended = text[length - 1] == '.';
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void print_option(void *context, const char *title, dl_option_table table, const dl_option *option) {
    (void)title;
    FILE *out = context;
    char facts[256];
    fputs(".It ", out);
    if (option->letter)
        fprintf(out, "Fl %c , ", option->letter);
    fprintf(out, "Fl \\-%s", option->name);
    if (option_is_reversible(option))
        fprintf(out, " , Fl \\-no-%s", option->name);
    if (!option_is_flag(option))
        fprintf(out, " Ar %s", option->argument);
    fputc('\n', out);
    print_text(out, option->help);
    help_facts(table, option, facts, sizeof facts);
    if (*facts)
        print_text(out, facts);
}

static void print_examples(FILE *out, const command *self) {
    fputs(".Pp\n.Bd -literal -offset indent -compact\n", out);
    for (int i = 0; self->examples[i]; i++) {
        print_word(out, self->examples[i], (int)strlen(self->examples[i]), true);
        fputc('\n', out);
    }
    fputs(".Ed\n", out);
}

static void print_operands(FILE *out, const command *self) {
    for (const char *at = self->operands ? self->operands : ""; *at;) {
        int length = (int)strcspn(at, " ");
        if (*at == '[')
            fprintf(out, ".Op Ar %.*s\n", length - 2, at + 1);
        else
            fprintf(out, ".Ar %.*s\n", length, at);
        at += length;
        at += *at == ' ';
    }
}

static void print_choices(FILE *out, const command *self) {
    operand_choice choice;
    fprintf(out, ".Pp\n%s:\n.Bl -tag -width Ds\n", self->choices_title);
    for (int i = 0; (choice = self->choices(i)).word; i++) {
        fprintf(out, ".It Cm %s\n", choice.word);
        print_text(out, choice.summary);
        if (choice.details) {
            fputs(".Pp\n", out);
            print_text(out, choice.details);
        }
        char values[HELP_VALUES];
        help_values(self, &choice, values);
        if (*values) {
            fputs(".Pp\n", out);
            print_text(out, values);
        }
    }
    fputs(".El\n.Pp\nOptions:\n", out);
}

static void print_group(FILE *out, const command *self) {
    fprintf(out, ".Ss dltf %s\n.Nm\n.Cm %s\n.Ar command\n.Op Ar arguments\n.Pp\n", self->name, self->name);
    print_text(out, self->details);
    fputs("Its commands follow.\n", out);
    print_examples(out, self);
}

static void print_command(FILE *out, const command *self) {
    fprintf(out, ".Ss dltf %s\n", self->name);
    fprintf(out, ".Nm\n.Cm %s\n", self->name);
    print_operands(out, self);
    fputs(".Op Ar options\n.Pp\n", out);
    char formats[256];
    help_formats(self, formats, sizeof formats);
    print_text(out, self->details);
    if (*formats)
        print_text(out, formats);
    if (self->json) {
        fputs(".Pp\nThe JSON object contains:\n", out);
        print_text(out, self->json);
    }
    if (self->choices_title)
        print_choices(out, self);
    fputs(".Bl -tag -width Ds\n", out);
    command_visit_options(self, print_option, out);
    fputs(".El\n", out);
    print_examples(out, self);
}

static const char closing[] = "Models are safetensors files, codes are sparse\n"
                              ".Pa .npz\n"
                              "files as SciPy reads and writes them.\n"
                              "Every file is written under a temporary name and then renamed;\n"
                              "an input is never overwritten.\n"
                              ".Sh EXIT STATUS\n"
                              ".Bl -tag -width Ds -compact\n"
                              ".It 0\n"
                              "Success.\n"
                              ".It 1\n"
                              "Failure; a message on standard error gives the reason.\n"
                              ".It 2\n"
                              "Usage error.\n"
                              ".It 128 + signal\n"
                              "Interrupted (130 for Ctrl-C).\n"
                              "Training saves a checkpoint and prints the command to resume.\n"
                              ".El\n"
                              ".Sh STANDARDS\n"
                              "The method is that of H. Xu, Z. Wang, H. Yang, D. Liu and J. Liu,\n"
                              ".Em Learning Simple Thresholded Features with Sparse Support Recovery .\n";

/* In alphabetical order. */
static const char environment[] = ".Sh ENVIRONMENT\n"
                                  ".Bl -tag -width OMP_NUM_THREADS\n"
                                  ".It Ev COLUMNS\n"
                                  "Width of the progress line on a terminal that does not report its own.\n"
                                  ".It Ev DLTF_DATA\n"
                                  "Folder of data sets and images for\n"
                                  ".Ic reproduce ,\n"
                                  "if\n"
                                  ".Fl Fl data\n"
                                  "is not given.\n"
                                  ".It Ev DLTF_KERNELS\n"
                                  "Level of the kernels to use instead of the best that the CPU has:\n"
                                  "c, avx2, avx512, avx512vnni or avx512popcnt; on aarch64 c or neon.\n"
                                  "For tests and comparisons.\n"
                                  ".It Ev HOME , TMPDIR\n"
                                  "Where results are saved that cannot be written to their own folder.\n"
                                  "Temporary files of\n"
                                  ".Ic encode\n"
                                  "are in\n"
                                  ".Ev TMPDIR .\n"
                                  ".It Ev OMP_NUM_THREADS\n"
                                  "Number of threads, if\n"
                                  ".Fl Fl threads\n"
                                  "is not given.\n"
                                  ".El\n";

static void print_files(FILE *out) {
    char text[256];
    fputs(".Sh FILES\n", out);
    snprintf(text, sizeof text, "Data is read from %s files, one sample per row.",
             dl_format_list(DL_CONTENT_MATRIX, DL_READ, "and"));
    print_text(out, text);
    snprintf(text, sizeof text, "Images are read from %s files.",
             dl_format_list(DL_CONTENT_IMAGE, DL_READ, "and"));
    print_text(out, text);
}

static void print_page(FILE *out) {
    fprintf(out, ".Dd %s\n.Dt DLTF 1\n.Os\n", interface_date);
    fputs(".Sh NAME\n.Nm dltf\n.Nd learn and use dictionaries for thresholded features\n"
          ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar arguments\n"
          ".Nm\n.Cm help\n.Op Ar command\n.Nm\n.Fl \\-version\n.Sh DESCRIPTION\n",
          out);
    print_text(
        out,
        "A thresholded feature is z = max_k(W^T x): one matrix product, of which the k largest entries are "
        "kept. This program learns dictionaries W for which these features recover the atoms that samples "
        "are composed of, and computes, inverts and evaluates such features.");
    fputs(".Pp\nAn option may be given as\n.Fl \\-name Ar value\nor\n.Fl \\-name Ns = Ns Ar value ;\n"
          "a flag is turned off by\n.Fl \\-no-name .\nIf an option is given twice, the last one counts.\n"
          "Options end at\n.Fl \\- .\n"
          "The commands are:\n.Bl -tag -width completion\n",
          out);
    for (int i = 0; command_list[i]; i++)
        fprintf(out, ".It Cm %s\n%s\n", command_list[i]->name, command_list[i]->summary);
    fputs(".El\n.Sh COMMANDS\n", out);
    for (int i = 0; command_list[i]; i++) {
        const command *const *group = command_list[i]->subcommands;
        (group ? print_group : print_command)(out, command_list[i]);
        for (int s = 0; group && group[s]; s++)
            print_command(out, group[s]);
    }
    fputs(environment, out);
    print_files(out);
    fputs(closing, out);
}

static int run(const command *self, int count, char **words) {
    arguments args;
    if (!arguments_parse(self, count, words, NULL, NULL, &args))
        return args.exit_code;
    print_page(stdout);
    return EXIT_OK;
}

const command command_manual = {
    .name = "manual",
    .summary = "print the manual page dltf.1",
    .details = "Prints the manual page in mdoc format, as installed by the build.",
    .examples = {"dltf manual | man -l -", NULL},
    .run = run,
};
