/* Lists of at most so many samples: those with the largest keys. A key is the magnitude of the value, or a
 * random number that depends on seed, atom and row alone: such a list is a random sample of all that were
 * offered, in any order, and two lists can be merged. */
#ifndef DL_ATOMS_EXAMPLES_H
#define DL_ATOMS_EXAMPLES_H

#include "dltf/atoms.h"

#include <stdint.h>

typedef struct dl_examples {
    dltf_example *items; /* keys descend; of equal keys the one offered first is ahead */
    int32_t *count;
    int64_t room;
} dl_examples;

/* By magnitude. */
void dl_examples_offer_largest(dl_examples list, dltf_example example);
/* At random; `stream` tells apart the draws of different atoms. */
void dl_examples_offer_random(dl_examples list, uint64_t stream, dltf_example example);

/* A random number for a row. */
uint64_t dl_examples_draw(uint64_t stream, int64_t row);

#endif
