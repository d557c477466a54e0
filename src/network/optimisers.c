/* The table of optimisers. */
#include "network/optimiser.h"

#define ROW(NAME, name, help) &dl_optimiser_##name,
static const dl_optimiser *const optimisers[] = {DLTF_OPTIMISERS(ROW)};

const dl_optimiser *dl_optimiser_find(dltf_optimiser optimiser) {
    return optimisers[optimiser];
}
