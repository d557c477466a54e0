/* The table of starts. */
#include "pretrain/pretrain.h"

#define ROW(NAME, name, help) &dl_start_##name,
static const dl_start *const starts[] = {DL_STARTS(ROW)};

const dl_start *dl_start_find(dl_start_kind start) {
    return starts[start];
}
