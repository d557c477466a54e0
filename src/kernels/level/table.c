/* The table of this level: dl_kernels_c, dl_kernels_avx2, ... */
#include "kernels/level/table.h"

#include "kernels/level/level.h"

#define TEXT(level) #level
#define TEXT_OF(level) TEXT(level)

const dl_kernels DL_LEVELLED(dl_kernels) = {
    .level = TEXT_OF(DL_LEVEL),
#define DL_KERNEL(result, name, parameters) .name = DL_LEVELLED(dl_##name),
#include "kernels/list.h"
};
