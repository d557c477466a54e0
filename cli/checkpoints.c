/* Checkpoints at intervals. */
#include "cli/checkpoints.h"

#include "cli/output.h"
#include "cli/progress.h"

#include <math.h>

/* Saving may take at most this share of the time. */
static const double SHARE = 0.05;

checkpoints checkpoints_begin(files_saver save, const void *training, const char *path, double every) {
    return (checkpoints){save, training, path, every, dltf_seconds() + every, false};
}

void checkpoints_step(checkpoints *c) {
    double begin = dltf_seconds();
    bool due = c->every > 0 && begin >= c->next;
    if (!dltf_ranks_any(dltf_rank() == 0 && due))
        return;
    if (c->save(c->training, c->path) != DLTF_OK) {
        progress_erase();
        remark("cannot save a checkpoint: %s; training continues without checkpoints", dltf_message());
        c->every = 0;
        return;
    }
    double end = dltf_seconds();
    c->saved = true;
    c->next = end + fmax(c->every, (end - begin) / SHARE);
}
