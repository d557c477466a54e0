/* Several ranks (docs/scaling.md): what must be the same on all of them, compared before they exchange
 * anything else. Otherwise ranks could deadlock, or combine results of different data. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

/* Compares the program, its arithmetic and the words of the command line, except --threads. Returns an exit
 * code. */
int ranks_check_command(int count, char **words);

/* Compares input files: the size, and the content of 4 MB spread over them. Skips NULL names, and leaves
 * files that cannot be read to the command. Returns an exit code. */
int ranks_check_files(int count, const char *const *names);

/* Ends the work of a rank with an exit code that is EXIT_OK only if it is on all ranks. A rank that failed
 * tells the others, which may wait for it; rank 0 prints the message. */
int ranks_agree(int code);

#endif
