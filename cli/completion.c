/* dltf completion: prints the script of a shell. */
#include "cli/completion.h"

#include "cli/arguments.h"
#include "cli/output.h"

#include <string.h>

static const struct shell {
    const char *name;
    void (*print)(FILE *out);
} shells[] = {
#define ROW(name) {#name, completion_##name},
    SHELLS(ROW)
#undef ROW
        {NULL, NULL}};

void completion_hint(const char *help, char *hint, size_t size) {
    snprintf(hint, size, "%.*s", (int)strcspn(help, ";:(."), help);
    for (size_t end = strlen(hint); end > 0 && hint[end - 1] == ' '; end--)
        hint[end - 1] = '\0';
}

static operand_choice choice(int index) {
    return (operand_choice){.word = shells[index].name};
}

static int run(const command *self, int count, char **words) {
    arguments args;
    if (!arguments_parse(self, count, words, NULL, NULL, &args))
        return args.exit_code;
    for (const struct shell *s = shells; s->name; s++)
        if (strcmp(args.operands[0], s->name) == 0) {
            s->print(stdout);
            return EXIT_OK;
        }
    return usage_error("unsupported shell '%s': expected bash, fish or zsh", args.operands[0]);
}

const command command_completion = {
    .name = "completion",
    .summary = "print a shell completion script",
    .operands = "SHELL",
    .details =
        "Prints a script for completing commands, options and their values. SHELL is bash, fish or zsh.",
    .choices = choice,
    .examples = {"source <(dltf completion bash)",
                 "dltf completion bash > ~/.local/share/bash-completion/completions/dltf",
                 "dltf completion fish > ~/.config/fish/completions/dltf.fish",
                 "dltf completion zsh > ~/.zfunc/_dltf    # ~/.zfunc in fpath", NULL},
    .run = run,
};
