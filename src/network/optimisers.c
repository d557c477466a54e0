/* The table of optimisers. */
#include "network/optimiser.h"

#define ROW(NAME, name, help) &dl_optimiser_##name,
static const dl_optimiser *const optimisers[] = {DL_OPTIMISERS(ROW)};

const dl_optimiser *dl_optimiser_find(dl_optimiser_kind optimiser) {
    return optimisers[optimiser];
}
