/* The table of this level: dl_kernels_c, dl_kernels_avx2, ... */
#include "kernels/level/table.h"

#include "kernels/level/level.h"

#include <stddef.h>

#define TEXT(level) #level
#define TEXT_OF(level) TEXT(level)

#define FROM_ALL(name) DL_LEVELLED(dl_##name)
#define FROM_ALL_AND_POPCNT FROM_ALL
#if defined(__AVX512F__)
#define FROM_AVX512 FROM_ALL
#else
#define FROM_AVX512(name) NULL
#endif
#define FROM_VNNI(name) NULL
#define FROM_POPCNT(name) NULL

const dl_kernels DL_LEVELLED(dl_kernels) = {
    .level = TEXT_OF(DL_LEVEL),
#define DL_KERNEL(levels, result, name, parameters) .name = FROM_##levels(name),
#include "kernels/list.h"
};
