/* Checkpoints during training, so that a crash or a power cut loses little work. */
#ifndef CLI_CHECKPOINTS_H
#define CLI_CHECKPOINTS_H

#include "cli/files.h"

typedef struct checkpoints {
    files_saver save;
    const void *training;
    const char *path;
    double every; /* seconds; 0: never */
    double next;  /* when the next one is due */
    bool saved;   /* the file exists */
} checkpoints;

#define CHECKPOINTS_OPTION(flags, field)                                                                     \
    {                                                                                                        \
        .name = "checkpoint-every", .kind = DLTF_OPTION_REAL, .offset = offsetof(flags, field),              \
        .default_text = "60", .max = 1e9, .argument = "SECONDS",                                             \
        .help = "seconds between checkpoints, to resume after a crash; 0: only on Ctrl-C"                    \
    }

checkpoints checkpoints_begin(files_saver save, const void *training, const char *path, double every);

/* After an iteration: saves a checkpoint if one is due. A failure is printed, and no more are tried. */
void checkpoints_step(checkpoints *c);

#endif
