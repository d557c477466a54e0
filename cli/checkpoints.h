/* Checkpoints during training, so that a crash or a power cut loses little work. */
#ifndef CLI_CHECKPOINTS_H
#define CLI_CHECKPOINTS_H

#include "cli/arguments.h"
#include "cli/files.h"

typedef struct checkpoints {
    files_saver save;
    const void *training;
    const char *path;
    double every;     /* seconds; 0: never */
    double next;      /* when the next one is due */
    bool saved;       /* the file exists */
    const char *last; /* the newest one, which after Ctrl-C may be elsewhere; NULL: none */
} checkpoints;

#define CHECKPOINTS_OPTION(flags, field)                                                                     \
    {                                                                                                        \
        .name = "checkpoint-every", .kind = DL_OPTION_REAL, .offset = offsetof(flags, field),                \
        .default_text = "60", .max = 1e9, .argument = "SECONDS",                                             \
        .help = "seconds between checkpoints, to resume after a crash; 0: only on Ctrl-C"                    \
    }

/* Of a task that is one call: pass `progress` of its callback instead of a training. Also saves a checkpoint
 * after Ctrl-C. */
void checkpoints_step_state(checkpoints *c, const dltf_progress *progress);

/* After Ctrl-C: saves a final checkpoint, elsewhere if necessary. Returns its name; NULL, with a message, if
 * it could not be saved. */
const char *checkpoints_save_last(const checkpoints *c);

/* After success: removes the checkpoint, which is no longer needed; `resumed` is the file of --resume, or
 * NULL. */
void checkpoints_end(const checkpoints *c, const char *resumed);

/* An option of a command line and its value, not quoted. */
typedef struct checkpoints_word {
    const char *option; /* NULL ends a list */
    const char *value;  /* NULL: omitted */
} checkpoints_word;

/* Prints a command line that users can paste; it is never truncated. */
void checkpoints_print_command(const char *name, int count, const char *const *files,
                               const checkpoints_word *words);

/* After Ctrl-C: prints the command that resumes the last checkpoint, if there is one. Returns an exit code.
 */
int checkpoints_interrupted(const checkpoints *c, const char *name, const char *data,
                            const checkpoints_word *words);

/* A checkpoint stores all options of `table` but threads: rejects them beside --resume. Returns an exit
 * code. */
int checkpoints_check_resume(const arguments *args, const char *resume, dl_option_table table);

/* The state of a task, for checkpoints_begin. */
dltf_status checkpoints_save_state(const void *state, const char *path);

/* Also removes temporary files that a killed run left beside the checkpoint. */
checkpoints checkpoints_begin(files_saver save, const void *training, const char *path, double every);

/* After an iteration: saves a checkpoint if one is due. A failure is printed, and no more are tried. */
void checkpoints_step(checkpoints *c);

#endif
