/* Where an array is: a path as people write it, taken apart. */
#ifndef DL_IO_PLACE_H
#define DL_IO_PLACE_H

#include "base/status.h"

typedef struct dl_place {
    char *file;
    char *member; /* of an archive; NULL: its only array */
} dl_place;

/* FILE, FILE.npz:NAME and the like. The NAME of an index of shards is looked up in it, and the place is then
 * in one of its shards. Free the place, also after a failure. */
dltf_status dl_place_find(const char *path, dl_place *place);
void dl_place_free(dl_place *place);

#endif
