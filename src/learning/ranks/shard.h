/* Shards: the part of a checkpoint that has a row for every sample, or, where ranks share the atoms, for
 * every atom, divided among files. Each rank writes the rows of its own, so that no rank ever holds all. The
 * main file names the generation of its shards and their rows; shards of other generations, which a killed
 * training may leave behind, are ignored. */
#ifndef DL_LEARNING_RANKS_SHARD_H
#define DL_LEARNING_RANKS_SHARD_H

#include "learning/learner.h"

/* Whether several ranks divide the rows of field i of `count`, those of a checkpoint. */
bool dl_learner_divides(const dltf_learner *l, const dl_field *fields, int count, int i);

/* Whether a checkpoint of the learner has shards, one for each rank. */
bool dl_learner_has_shards(const dltf_learner *l);

/* Names the shards in the main bundle and fills that of this rank. All ranks call it: one that has failed
 * before passes its status, which is returned. */
dltf_status dl_shard_make(const dltf_learner *l, dltf_status status, dl_bundle *bundle, dl_bundle *shard);

/* The generation that a main bundle or a shard names: 16 hexadecimal digits; NULL if none. */
const char *dl_shard_generation(const dl_bundle *bundle);

/* Whether a checkpoint has shards; how many rows these have together, -1 without. */
bool dl_bundle_has_shards(const dl_bundle *bundle);
int64_t dl_shards_count(const dl_bundle *bundle);

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

/* The same from a bundle that has all rows. */
dltf_status dl_divided_restore(const dl_bundle *bundle, const dltf_learner *l);

#endif
