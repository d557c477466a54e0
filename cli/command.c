/* Lookup of commands by name, groups of commands, and iteration over the options of a command. */
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/output.h"

#include <string.h>

/* --json comes first, so that commands without it can use the tail of the table. */
static const dl_option common_table[] = {
    {.name = "json",
     .kind = DL_OPTION_FLAG,
     .offset = offsetof(common_flags, json),
     .default_text = "false",
     .help = "print the result as a JSON object"},
    {.name = "quiet",
     .letter = 'q',
     .kind = DL_OPTION_FLAG,
     .offset = offsetof(common_flags, quiet),
     .default_text = "false",
     .help = "print no progress bar and no remarks"},
    {.name = "help",
     .letter = 'h',
     .kind = DL_OPTION_FLAG,
     .offset = offsetof(common_flags, help),
     .default_text = "false",
     .help = "print this help"},
};

dl_option_table command_common_options(const command *self) {
    int count = (int)(sizeof common_table / sizeof *common_table), skipped = self->json ? 0 : 1;
    return (dl_option_table){
        .options = common_table + skipped, .count = count - skipped, .size = sizeof(common_flags)};
}

dl_option_table command_reading_options(const command *self) {
    return self->reads_data ? dl_reading_option_table() : (dl_option_table){.count = 0};
}

/* ---- Names ---- */

const char *command_word(const command *self) {
    const char *space = strrchr(self->name, ' ');
    return space ? space + 1 : self->name;
}

const command *command_find(const command *const *list, const char *word) {
    for (int i = 0; list[i]; i++)
        if (strcmp(command_word(list[i]), word) == 0)
            return list[i];
    return NULL;
}

const command *command_leaf(int index) {
    for (int i = 0; command_list[i]; i++) {
        const command *const *group = command_list[i]->subcommands;
        if (!group && index-- == 0)
            return command_list[i];
        for (int s = 0; group && group[s]; s++)
            if (index-- == 0)
                return group[s];
    }
    return NULL;
}

int command_run(const command *self, int count, char **words) {
    output_begin(self->name);
    if (dltf_ranks() > 1 && !self->ranks && !self->subcommands)
        return usage_error("runs as one process: start it without mpirun");
    return self->run(self, count, words);
}

int command_run_group(const command *self, int count, char **words) {
    const command *found = count > 0 ? command_find(self->subcommands, words[0]) : NULL;
    if (found)
        return command_run(found, count - 1, words + 1);
    if (arguments_ask_for_help(count, words)) {
        help_print_command(self, stdout);
        return EXIT_OK;
    }
    if (count > 0)
        return arguments_unknown_command(self, words[0]);
    help_print_command(self, stderr);
    return EXIT_USAGE;
}

/* ---- Options ---- */

void command_visit_options(const command *self, option_visitor visit, void *context) {
    for (int i = 0; i < self->own.count; i++)
        visit(context, "Options", self->own, &self->own.options[i]);
    dl_option_table common = command_common_options(self);
    for (int i = 0; i < common.count; i++)
        visit(context, "Options", common, &common.options[i]);
    dl_option_table library = self->library ? self->library() : (dl_option_table){.count = 0};
    for (int i = 0; i < library.count; i++)
        if (!dl_option_find(self->own, library.options[i].name))
            visit(context, self->library_title, library, &library.options[i]);
    dl_option_table reading = command_reading_options(self);
    for (int i = 0; i < reading.count; i++)
        visit(context, "Reading data", reading, &reading.options[i]);
}
