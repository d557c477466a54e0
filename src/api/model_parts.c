/* A model that no rank has as a whole, to a file: rank 0 writes the header, all ranks write their rows of the
 * tensors, and when all are complete rank 0 names the file. */
#include "api/model_parts.h"

#include "base/memory.h"
#include "base/options.h"
#include "comm/comm.h"
#include "data/model.h"
#include "io/files/file.h"
#include "io/formats/model.h"
#include "learning/learner.h"

#include <limits.h>
#include <stdio.h>

bool dl_learner_is_shared(const dltf_learner *learner) {
    return learner && dl_learner_shares_atoms(learner);
}

/* What rank 0 tells the others. */
typedef struct place {
    char name[PATH_MAX];
    int64_t data;
} place;

static dltf_status begin(const dl_model_part *part, const char *path, dl_writer *out, place *file) {
    char *name = NULL;
    dltf_status status = dl_model_parts_begin(part, path, out, &name, &file->data);
    if (status == DLTF_OK && snprintf(file->name, sizeof file->name, "%s", name) >= (int)sizeof file->name)
        status = dl_file_result(dl_fail(DLTF_FILE, "cannot create: the path is too long"), path);
    dl_free(name);
    return status;
}

static dltf_status commit(dl_writer *out, const char *path) {
    return dl_file_result(dl_writer_commit(out), path);
}

dltf_status dl_learner_save_model(const dltf_learner *l, const char *path) {
    DL_REQUIRE(l, path);
    bool first = dl_comm_rank() == 0;
    dltf_model *model = NULL;
    dl_writer out = {.folder = -1};
    place file = {.data = 0};
    dltf_status status = dl_learner_own_model(l, &model);
    dl_model_part part = {model, l->first_atom, l->m, l->k, true, true};
    if (status == DLTF_OK && first)
        status = begin(&part, path, &out, &file);
    DL_TRY(dl_comm_agree(status));
    dl_comm_broadcast(&file, sizeof file);
    DL_TRY(dl_comm_agree(dl_model_part_write(&part, path, file.name, file.data)));
    status = dl_comm_agree(first ? commit(&out, path) : DLTF_OK);
done:
    dl_writer_abort(&out);
    dltf_model_free(model);
    return status;
}
