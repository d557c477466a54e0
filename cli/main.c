/* dltf: the command line. Finds the subcommand and runs it. Each is in its own cmd_*.c and described by a
 * `command` (command.h), which drives parsing, help, completion and the manual page. */
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/output.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define ADDRESS(name) &command_##name,
const command *const command_list[] = {COMMANDS(ADDRESS) NULL};
#undef ADDRESS

static int unknown_command(const char *word) {
    const char *names[] = {"help", "--help", "--version",
                           [sizeof command_list / sizeof *command_list + 3] = NULL};
    for (int i = 0; command_list[i]; i++)
        names[3 + i] = command_list[i]->name;
    const char *close = arguments_suggestion(word, names);
    const char *kind = word[0] == '-' ? "option" : "command";
    if (close)
        return usage_error("unknown %s '%s'; did you mean '%s'?", kind, word, close);
    return usage_error("unknown %s '%s'; 'dltf --help' lists the commands", kind, word);
}

static int help(int count, char **words) {
    if (count == 0) {
        help_print_overview(stdout);
        return EXIT_OK;
    }
    const command *found = command_find(words[0]);
    if (!found)
        return unknown_command(words[0]);
    help_print_command(found);
    return EXIT_OK;
}

static int dispatch(int count, char **words) {
    if (count == 0) {
        help_print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *word = words[0];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return help(count - 1, words + 1);
    if (strcmp(word, "--version") == 0) {
        printf("dltf %s\n%s\n", dltf_version(), dltf_build());
        return EXIT_OK;
    }
    const command *found = command_find(word);
    if (!found)
        return unknown_command(word);
    output_begin(found->name);
    return found->run(found, count - 1, words + 1);
}

/* If the caller closed a standard stream, a file opened later would get its descriptor and receive the
 * program's messages. Occupies it with /dev/null, opened in the wrong direction so that using the stream
 * still fails. */
static void occupy_closed_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

int main(int argc, char **argv) {
    occupy_closed_streams();
    interrupt_catch();
    int code = dispatch(argc - 1, argv + 1);
    /* A full disk or a closed pipe is detected only here. */
    if (fflush(stdout) != 0 || ferror(stdout))
        return code == EXIT_OK ? failure("cannot write to standard output") : code;
    return code;
}
