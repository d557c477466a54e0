/* Shards: the part of a checkpoint that has a row for every sample, divided among files. With several ranks
 * each writes the rows of its own samples, so that no rank ever holds those of all. The main file names the
 * generation of its shards and their rows; shards of other generations, which a killed training may leave
 * behind, are ignored. */
#ifndef DL_LEARNING_RANKS_SHARD_H
#define DL_LEARNING_RANKS_SHARD_H

#include "learning/learner.h"

/* Whether a checkpoint of the learner has shards, one for each rank. */
bool dl_learner_has_shards(const dltf_learner *l);

/* Names the shards in the main bundle and fills that of this rank. All ranks call it: one that has failed
 * before passes its status, which is returned. */
dltf_status dl_shard_make(const dltf_learner *l, dltf_status status, dl_bundle *bundle, dl_bundle *shard);

/* The generation that a main bundle or a shard names: 16 hexadecimal digits; NULL if none. */
const char *dl_shard_generation(const dl_bundle *bundle);

/* Whether a checkpoint has shards. */
bool dl_bundle_has_shards(const dl_bundle *bundle);

/* Where shards are read from. */
struct dl_shard_source {
    /* Shard `number` of `count`: stays open until `close`, which is not called after a failure. */
    dltf_status (*open)(void *context, const char *generation, int64_t number, int64_t count,
                        const dl_bundle **shard);
    void (*close)(void *context);
    void *context;
};

/* Restores the rows of this rank from the shards that a main bundle names, of any number of ranks. */
dltf_status dl_shards_restore(const dl_bundle *bundle, const dltf_learner *l, const dl_shard_source *source);

/* The same from a bundle that has the rows of the samples `first` .. end - 1. */
dltf_status dl_divided_restore(const dl_bundle *bundle, const dltf_learner *l, int64_t first, int64_t end);

#endif
