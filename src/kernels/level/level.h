/* Names of the functions that are compiled once per level: dl_dot_c, dl_dot_avx2, ... */
#ifndef DL_KERNELS_LEVEL_H
#define DL_KERNELS_LEVEL_H

#include "kernels/kernels.h"

/* The name of a function at this level. The build defines DL_LEVEL. */
#define DL_LEVELLED(name) DL_LEVEL_NAME(name, DL_LEVEL)
#define DL_LEVEL_NAME(name, level) DL_LEVEL_JOIN(name, level)
#define DL_LEVEL_JOIN(name, level) name##_##level

/* Also of kernels that this level does not have, which nobody calls. */
#define DL_KERNEL(levels, result, name, parameters)                                                          \
    result DL_LEVELLED(dl_##name) parameters;                                                                \
    result dl_##name##_avx512popcnt parameters;
#include "kernels/list.h"

/* Floats in a vector register of the level. */
#if defined(__AVX512F__)
enum { DL_LANES = 16 };
#elif defined(__AVX__)
enum { DL_LANES = 8 };
#else
enum { DL_LANES = 4 };
#endif

/* For loops over arrays of registers, which must be unrolled completely. */
#if defined(__clang__)
#define DL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define DL_UNROLL _Pragma("GCC unroll 16")
#endif

#endif
