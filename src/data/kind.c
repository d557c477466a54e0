/* The kinds of bundles. A new kind is a row here. */
#include "data/kind.h"

#include "base/shown.h"

#include <string.h>

typedef struct row {
    const char *format, *version; /* the notes */
    const char *name;             /* in messages */
    const char *description;      /* the same, told apart from the others */
    const char *maker;            /* what writes such files */
    const char *use;              /* how to use them */
} row;

static const row kinds[] = {
    [DL_KIND_MODEL] = {"dltf-model", "1", "model", "a finished model", "'dltf train'",
                       "to start training from it, run 'dltf train DATA --init FILE'"},
    [DL_KIND_CHECKPOINT] = {"dltf-checkpoint", "6", "checkpoint",
                            "a checkpoint of an unfinished training run", "an interrupted 'dltf train'",
                            "to resume, run 'dltf train DATA --resume FILE'"},
    [DL_KIND_SHARD] = {"dltf-shard", "1", "shard of a checkpoint",
                       "a shard of a checkpoint: the state of the samples of one rank", "'dltf-mpi train'",
                       "to resume, run 'dltf train DATA --resume FILE' with the checkpoint beside it"},
    [DL_KIND_ONLINE] = {"dltf-online", "2", "checkpoint of a stream",
                        "a checkpoint of a training on a stream", "'dltf train -'",
                        "to continue it, run 'dltf train - --resume FILE'"},
    [DL_KIND_PCA] = {"dltf-pca", "1", "PCA", "a file of principal components", "'dltf cluster --save-pca'",
                     "to use them, run 'dltf cluster DATA --load-pca FILE'"},
    [DL_KIND_NETWORK] = {"dltf-network", "1", "network", "a network",
                         "'dltf pretrain' and 'dltf classify train'",
                         "to see its layers, run 'dltf inspect FILE'"},
    [DL_KIND_TRAINING] = {"dltf-training", "1", "checkpoint of a network",
                          "a checkpoint of an unfinished training of a network",
                          "an interrupted 'dltf classify train'",
                          "to resume, run 'dltf classify train DATA --labels FILE --resume FILE'"},
    [DL_KIND_HASHER] = {"dltf-hasher", "1", "hasher", "a hasher", "'dltf hash train'",
                        "to make binary codes, run 'dltf hash encode FILE DATA'"},
    [DL_KIND_CLUSTERING] = {"dltf-clustering", "2", "checkpoint of a clustering",
                            "a checkpoint of an unfinished clustering", "an interrupted 'dltf cluster'",
                            "to resume, run 'dltf cluster DATA --resume FILE'"},
    [DL_KIND_HASHING] = {"dltf-hashing", "1", "checkpoint of a hasher",
                         "a checkpoint of an unfinished training of a hasher",
                         "an interrupted 'dltf hash train'",
                         "to resume, run 'dltf hash train DATA --resume FILE'"},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

dltf_status dl_kind_mark(dl_bundle *bundle, dl_kind kind) {
    dltf_status status = dl_notes_set(&bundle->notes, "format", kinds[kind].format);
    return status == DLTF_OK ? dl_notes_set(&bundle->notes, "version", kinds[kind].version) : status;
}

static const row *find(const char *format) {
    for (int i = 0; format && i < KINDS; i++)
        if (strcmp(format, kinds[i].format) == 0)
            return &kinds[i];
    return NULL;
}

const char *dl_kind_name(const char *format) {
    const row *found = find(format);
    return found ? found->name : NULL;
}

dltf_status dl_kind_check(const dl_bundle *bundle, dl_kind kind) {
    const row *wanted = &kinds[kind], *found = find(dl_notes_get(&bundle->notes, "format"));
    const char *version = dl_notes_get(&bundle->notes, "version");
    if (!found)
        return dl_fail(DLTF_FORMAT, "is a safetensors file, but not a dltf %s as written by %s", wanted->name,
                       wanted->maker);
    if (found != wanted)
        return dl_fail(DLTF_FORMAT, "is %s, not a %s; %s", found->description, wanted->name, found->use);
    if (!version || strcmp(version, wanted->version) != 0)
        return dl_fail(DLTF_FORMAT, "unsupported %s version %s; this program reads version %s", wanted->name,
                       version ? DL_PRINTABLE(version, (int64_t)strlen(version)) : "(missing)",
                       wanted->version);
    return DLTF_OK;
}
