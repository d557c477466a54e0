/* Names of the functions that are compiled once per level: dl_dot_c, dl_dot_avx2, ... */
#ifndef DL_KERNELS_LEVEL_H
#define DL_KERNELS_LEVEL_H

#include "kernels/kernels.h"

#define DL_LEVEL_JOIN(name, level) name##_##level
#define DL_LEVEL_NAME(name, level) DL_LEVEL_JOIN(name, level)

/* In the files of level/: the name of this compilation. DL_LEVEL comes from the build. */
#define DL_LEVELLED(name) DL_LEVEL_NAME(name, DL_LEVEL)

#define DL_DECLARE_LEVEL(level)                                                                              \
    void DL_LEVEL_NAME(dl_scores, level)(const dl_packed *, int64_t, int64_t, const float *, int64_t,        \
                                         int64_t, float *, int64_t);                                         \
    void DL_LEVEL_NAME(dl_select_rows, level)(const float *, int64_t, int64_t, int64_t, int64_t, bool,       \
                                              uint32_t *, int32_t *, int32_t *, float *);                    \
    int64_t DL_LEVEL_NAME(dl_above, level)(const float *, int64_t, bool, uint32_t, int32_t, int32_t *,       \
                                           float *);                                                         \
    double DL_LEVEL_NAME(dl_dot, level)(const double *, const double *, int64_t);                            \
    void DL_LEVEL_NAME(dl_gram_row, level)(const double *, const double *, int64_t, int64_t, double *);      \
    void DL_LEVEL_NAME(dl_gap_row, level)(const float *, int64_t, const int32_t *, const float *, int64_t,   \
                                          const float *, float *);                                           \
    void DL_LEVEL_NAME(dl_add_scaled, level)(double *, float, const float *, int64_t);                       \
    double DL_LEVEL_NAME(dl_square, level)(const float *, int64_t);                                          \
    int64_t DL_LEVEL_NAME(dl_largest, level)(const float *, int64_t);                                        \
    void DL_LEVEL_NAME(dl_pursue, level)(const float *, float *, int64_t, int64_t, const float *, float,     \
                                         float, float *);                                                    \
    double DL_LEVEL_NAME(dl_project_rows, level)(const float *, int64_t, const int32_t *, int64_t,           \
                                                 const double *, float *, double *);                         \
    dl_prox_piece DL_LEVEL_NAME(dl_prox_count, level)(const float *, int64_t, float, float);                 \
    void DL_LEVEL_NAME(dl_prox_apply, level)(const float *, int64_t, float, double, float *);

/* A loop over registers: it must disappear. */
#if defined(__clang__)
#define DL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define DL_UNROLL _Pragma("GCC unroll 16")
#endif

DL_DECLARE_LEVEL(c)
DL_DECLARE_LEVEL(avx2)
DL_DECLARE_LEVEL(avx512)

void dl_scores16_avx512(const dl_packed16 *, int64_t, int64_t, const uint32_t *, int64_t, float *, int64_t);
void dl_exact_avx512(const float *, int64_t, const float *, const float *, const int32_t *, int64_t, float *);

#endif
