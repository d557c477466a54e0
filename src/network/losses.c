/* The table of losses. */
#include "network/loss.h"

#define ROW(NAME, name, help) &dl_loss_##name,
static const dl_loss *const losses[] = {DL_LOSSES(ROW)};

const dl_loss *dl_loss_find(dl_loss_kind loss) {
    return losses[loss];
}
