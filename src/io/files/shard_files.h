/* Names of the shards of a checkpoint, which are files beside it. */
#ifndef DL_IO_FILES_SHARD_FILES_H
#define DL_IO_FILES_SHARD_FILES_H

#include "base/status.h"

/* PATH.GENERATION-NUMBER-of-COUNT, where files count from 1 and `number` from 0. Released with dl_free; NULL
 * if out of memory. */
char *dl_shard_path(const char *path, const char *generation, int64_t number, int64_t count);

/* Removes the shards of a checkpoint except those of one generation; NULL: all. Also temporary files that
 * killed processes left. What cannot be removed now is left to the next call. */
void dl_shards_remove(const char *path, const char *keep);

/* Removes only temporary files that killed processes left in the folder of a checkpoint. */
void dl_shards_clean(const char *path);

#endif
