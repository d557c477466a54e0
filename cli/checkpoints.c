/* Checkpoints at intervals. */
#include "cli/checkpoints.h"

#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* Saving may take at most this share of the time. */
static const double SHARE = 0.05;

checkpoints checkpoints_begin(files_saver save, const void *training, const char *path, double every) {
    dl_checkpoint_clean(path);
    return (checkpoints){save, training, path, every, dl_seconds() + every, false, NULL};
}

void checkpoints_step(checkpoints *c) {
    double begin = dl_seconds();
    bool due = c->every > 0 && begin >= c->next;
    if (!dltf_ranks_any(dltf_rank() == 0 && due))
        return;
    if (c->save(c->training, c->path) != DLTF_OK) {
        progress_erase();
        remark("cannot save a checkpoint: %s; training continues without checkpoints", dltf_message());
        c->every = 0;
        return;
    }
    double end = dl_seconds();
    c->saved = true;
    c->last = c->path;
    c->next = end + fmax(c->every, (end - begin) / SHARE);
}

dltf_status checkpoints_save_state(const void *state, const char *path) {
    return dltf_state_save(state, path);
}

void checkpoints_step_state(checkpoints *c, const dltf_progress *progress) {
    c->training = progress->state;
    if (!progress->state || !c->path)
        return;
    if (!interrupted()) {
        checkpoints_step(c);
        return;
    }
    const char *last = checkpoints_save_last(c);
    c->last = last ? last : c->last;
    c->saved = c->saved || last == c->path;
}

const char *checkpoints_save_last(const checkpoints *c) {
    if (dltf_ranks() == 1)
        return files_save_anywhere(c->save, c->training, c->path);
    /* Not elsewhere: other machines would not see the same folder. */
    dltf_status status = c->save(c->training, c->path);
    if (status != DLTF_OK)
        library_failure(status);
    return status == DLTF_OK ? c->path : NULL;
}

void checkpoints_end(const checkpoints *c, const char *resumed) {
    bool replaced = resumed && files_same(resumed, c->path);
    /* A training that was killed may have left shards before its first checkpoint was complete. */
    struct stat there;
    bool ours = c->saved || replaced || (lstat(c->path, &there) != 0 && errno == ENOENT);
    if (ours && dl_checkpoint_remove(c->path) && replaced)
        remark("removed checkpoint %s, which is no longer needed", c->path);
}

void checkpoints_print_command(const char *name, int count, const char *const *files,
                               const checkpoints_word *words) {
    if (dltf_rank() > 0)
        return;
    fprintf(stderr, "  %s", name);
    for (int i = 0; i < count; i++)
        fprintf(stderr, " %s", files_quoted(files[i]));
    files_print_reading(stderr);
    for (; words->option; words++)
        if (words->value)
            fprintf(stderr, " %s %s", words->option, files_quoted(words->value));
    fputc('\n', stderr);
}

int checkpoints_interrupted(const checkpoints *c, const char *name, const char *data,
                            const checkpoints_word *words) {
    if (!c->last)
        return interrupted_exit();
    failure("interrupted; to resume, run:");
    checkpoints_print_command(name, 1, &data, words);
    return interrupt_exit_code();
}

int checkpoints_check_resume(const arguments *args, const char *resume, dl_option_table table) {
    for (int i = 0; resume && i < args->given_count; i++)
        if (dl_option_find(table, args->given[i]) && strcmp(args->given[i], "threads") != 0)
            return usage_error("--%s cannot be combined with --resume: the checkpoint stores all options",
                               args->given[i]);
    return EXIT_OK;
}
