/* Lookup of subcommands by name, and iteration over the options of a subcommand. */
#include "cli/command.h"

#include <string.h>

/* --json comes first, so that commands without it can use the tail of the table. */
static const dltf_option common_table[] = {
    {.name = "json",
     .kind = DLTF_OPTION_FLAG,
     .offset = offsetof(common_flags, json),
     .default_text = "false",
     .help = "print the result as a JSON object"},
    {.name = "quiet",
     .letter = 'q',
     .kind = DLTF_OPTION_FLAG,
     .offset = offsetof(common_flags, quiet),
     .default_text = "false",
     .help = "print no progress bar and no remarks"},
    {.name = "help",
     .letter = 'h',
     .kind = DLTF_OPTION_FLAG,
     .offset = offsetof(common_flags, help),
     .default_text = "false",
     .help = "print this help"},
};

dltf_option_table command_common_options(const command *self) {
    int count = (int)(sizeof common_table / sizeof *common_table), skipped = self->json ? 0 : 1;
    return (dltf_option_table){
        .options = common_table + skipped, .count = count - skipped, .size = sizeof(common_flags)};
}

const command *command_find(const char *name) {
    for (int i = 0; command_list[i]; i++)
        if (strcmp(command_list[i]->name, name) == 0)
            return command_list[i];
    return NULL;
}

void command_visit_options(const command *self, option_visitor visit, void *context) {
    for (int i = 0; i < self->own.count; i++)
        visit(context, "Options", self->own, &self->own.options[i]);
    dltf_option_table common = command_common_options(self);
    for (int i = 0; i < common.count; i++)
        visit(context, "Options", common, &common.options[i]);
    if (!self->library)
        return;
    dltf_option_table library = self->library();
    for (int i = 0; i < library.count; i++)
        if (!dltf_option_find(self->own, library.options[i].name))
            visit(context, self->library_title, library, &library.options[i]);
}
