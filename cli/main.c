/* dltf: the command line. Finds the command and runs it. Each is in its own cmd_*.c and described by a
 * `command` (command.h), which drives parsing, help, completion and the manual page. */
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/ranks.h"
#include "report/json.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ADDRESS(name) &command_##name,
const command *const command_list[] = {COMMANDS(ADDRESS) NULL};
#undef ADDRESS

static int help(int count, char **words) {
    if (count == 0) {
        help_print_overview(stdout);
        return EXIT_OK;
    }
    const command *found = command_find(command_list, words[0]);
    if (!found)
        return arguments_unknown_command(NULL, words[0]);
    if (found->subcommands && count > 1) {
        const command *group = found;
        found = command_find(group->subcommands, words[1]);
        if (!found)
            return arguments_unknown_command(group, words[1]);
    }
    help_print_command(found, stdout);
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
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("dltf %s\n%s; HDF5: %s\n", dltf_version(), dltf_build(),
               dl_hdf5_library() ? dl_hdf5_library() : "not supported by this build");
        return EXIT_OK;
    }
    const command *found = command_find(command_list, word);
    if (!found)
        return arguments_unknown_command(NULL, word);
    return command_run(found, count - 1, words + 1);
}

/* If the caller closed a standard stream, a file opened later would get its descriptor and receive the
 * program's messages. Occupies it with /dev/null, opened in the wrong direction so that using the stream
 * still fails. */
static void occupy_closed_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

/* The stack of the main thread grows up to its limit, where it would end the program without a message:
 * raises a soft limit that is too low. Returns false if that is not possible. Most commands need less than
 * 128 kB. */
static bool ensure_stack(void) {
    const rlim_t enough = 1 << 20;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= enough)
        return true;
    limit.rlim_cur = enough;
    return setrlimit(RLIMIT_STACK, &limit) == 0;
}

int main(int argc, char **argv) {
    occupy_closed_streams();
    if (!ensure_stack()) { /* printf would need more than is left */
        fputs("dltf: the stack is limited to less than 1 MB: raise the limit, for example with 'ulimit -s "
              "8192'\n",
              stderr);
        return EXIT_FAILED;
    }
    dltf_status status = dltf_ranks_begin(&argc, &argv);
    if (dltf_rank() > 0 && !freopen("/dev/null", "w", stdout)) /* rank 0 prints the results */
        return EXIT_FAILED;
    interrupt_catch(); /* after MPI, which has handlers of its own */
    json_watch_memory();
    if (status == DLTF_OK)
        status = dl_kernels_check();
    int code = status == DLTF_OK ? ranks_check_command(argc - 1, argv + 1) : library_failure(status);
    if (code == EXIT_OK)
        code = dispatch(argc - 1, argv + 1);
    code = ranks_agree(code);
    dltf_ranks_end();
    /* A full disk or a closed pipe is detected only here. */
    if (fflush(stdout) != 0 || ferror(stdout))
        return code == EXIT_OK ? failure("cannot write to standard output") : code;
    return output_finish(code);
}
