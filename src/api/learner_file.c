/* Checkpoint files: connects learning, which does no I/O, to io, which knows no learners. */
#include "api/checkpoint_files.h"
#include "base/memory.h"
#include "base/options.h"
#include "comm/comm.h"
#include "data/matrix.h"
#include "io/files/shard_files.h"
#include "io/formats/safetensors.h"
#include "learning/ranks/shard.h"

#include <stdio.h>
#include <unistd.h>

/* ---- Writing ---- */

/* Writes the shard of this rank. `shard_path` is its name once the file exists. */
static dltf_status save_shard(const dl_bundle *shard, const char *path, char **shard_path) {
    char *name = dl_shard_path(path, dl_shard_generation(shard), dl_comm_rank(), dl_comm_size());
    dltf_status status = name ? dl_safetensors_save(shard, name) : DLTF_MEMORY;
    if (status == DLTF_OK)
        *shard_path = name;
    else
        dl_free(name);
    return status;
}

/* Whenever the program is killed, the checkpoint is the old one or the new one: shards have names of their
 * own, the main file replaces the old one when all are complete, and only then are older shards removed. */
dltf_status dltf_learner_save(const dltf_learner *learner, const char *path) {
    DL_REQUIRE(learner, path);
    dl_bundle bundle = {0}, shard = {0};
    char *shard_path = NULL;
    dltf_status status = dl_checkpoint_make(learner, &bundle);
    if (dl_learner_has_shards(learner)) {
        status = dl_shard_make(learner, status, &bundle, &shard);
        if (status == DLTF_OK)
            status = save_shard(&shard, path, &shard_path);
    }
    status = dl_comm_attempt(status);
    if (status == DLTF_OK && dl_comm_rank() == 0)
        status = dl_safetensors_save(&bundle, path);
    status = dl_comm_attempt(status);
    if (status != DLTF_OK && shard_path)
        unlink(shard_path);
    if (status == DLTF_OK && dl_comm_rank() == 0)
        dl_shards_remove(path, dl_shard_generation(&bundle));
    dl_free(shard_path);
    dl_bundle_free(&bundle);
    dl_bundle_free(&shard);
    return status;
}

void dl_checkpoint_clean(const char *path) {
    if (path)
        dl_shards_clean(path);
}

bool dl_checkpoint_remove(const char *path) {
    if (!path)
        return false;
    bool removed = unlink(path) == 0; /* first: no checkpoint may lack shards */
    dl_shards_remove(path, NULL);
    return removed;
}

/* ---- Reading ---- */

/* The shard that is open, if any. */
typedef struct shard_file {
    const char *path; /* of the checkpoint */
    char *name;
    int64_t count; /* of all shards */
    dl_file file;
    dl_bundle bundle;
} shard_file;

static void close_shard(void *context) {
    shard_file *s = context;
    dl_bundle_free(&s->bundle);
    dl_file_close(&s->file);
    dl_free(s->name);
    s->name = NULL;
}

static dltf_status open_shard(void *context, const char *generation, int64_t number, int64_t count,
                              const dl_bundle **shard) {
    shard_file *s = context;
    s->count = count;
    s->name = dl_shard_path(s->path, generation, number, count);
    *shard = &s->bundle;
    return s->name ? dl_safetensors_open(s->name, &s->file, &s->bundle) : DLTF_MEMORY;
}

/* Names the file at fault: the shard that was open, or else the checkpoint. */
static dltf_status blame(dltf_status status, const shard_file *s) {
    char text[512];
    if (status == DLTF_OK || dltf_last_error().subject == DLTF_SUBJECT_DATA)
        return status;
    if (!s->name || status == DLTF_MEMORY)
        return dl_fail_prefix(status, s->name ? s->name : s->path);
    snprintf(text, sizeof text, "%s", dltf_last_error().text);
    dl_fail(status, "%s; the checkpoint needs all its shards, %lld files, beside it and as they were written",
            text, (long long)s->count);
    return dl_fail_prefix(status, s->name);
}

dltf_status dltf_learner_resume(const char *path, dltf_matrix X, int64_t threads, dltf_learner **learner) {
    DL_CLEAR(learner);
    DL_REQUIRE(path, learner);
    DL_REQUIRE_THREADS(threads);
    dl_bundle bundle = {0};
    dl_file file = {0};
    shard_file shard = {.path = path};
    dl_shard_source source = {open_shard, close_shard, &shard};
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK)
        status = dl_safetensors_open(path, &file, &bundle);
    if (status == DLTF_OK)
        status = blame(dl_checkpoint_restore(&bundle, X, threads, &source, learner), &shard);
    close_shard(&shard);
    dl_bundle_free(&bundle);
    dl_file_close(&file);
    return status;
}
