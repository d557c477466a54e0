/* The kernels of level avx512popcnt that differ from those of avx512. */
#ifndef DL_KERNELS_POPCNT_H
#define DL_KERNELS_POPCNT_H

#include "kernels/kernels.h"

#define DL_KERNEL(result, name, parameters)
#define DL_KERNEL_BITS(result, name, parameters) result dl_##name##_avx512popcnt parameters;
#include "kernels/list.h"

#endif
