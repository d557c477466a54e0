/* The tables of the levels. dispatch.c lists those of this build and chooses one that the CPU can run. */
#ifndef DL_KERNELS_TABLE_H
#define DL_KERNELS_TABLE_H

#include "kernels/kernels.h"

extern const dl_kernels dl_kernels_c, dl_kernels_avx2, dl_kernels_avx512, dl_kernels_avx512vnni,
    dl_kernels_avx512popcnt, dl_kernels_neon;

#endif
