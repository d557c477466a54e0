/* Which kernels run: decided once, at the first use, by the CPU and the environment. */
#include "kernels/level/level.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL(name, level, scores16, exact)                                                                  \
    {                                                                                                        \
        name, dl_scores_##level, dl_select_rows_##level, dl_above_##level, dl_dot_##level,                   \
            dl_gram_row_##level, dl_gap_row_##level, dl_add_scaled_##level, dl_square_##level,               \
            dl_largest_##level, dl_pursue_##level, dl_project_rows_##level, dl_prox_count_##level,           \
            dl_prox_apply_##level, scores16, exact                                                           \
    }

static const dl_kernels levels[] = {
#if defined(__x86_64__)
    LEVEL("avx512bf16", avx512, dl_scores16_avx512, dl_exact_avx512),
    LEVEL("avx512", avx512, NULL, NULL),
    LEVEL("avx2", avx2, NULL, NULL),
#endif
    LEVEL("c", c, NULL, NULL),
};

enum { LEVELS = sizeof levels / sizeof *levels };

static bool cpu_has(const char *level) {
#if defined(__x86_64__)
    if (strcmp(level, "avx512bf16") == 0)
        return cpu_has("avx512") && __builtin_cpu_supports("avx512bf16");
    if (strcmp(level, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("fma");
    if (strcmp(level, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return strcmp(level, "c") == 0;
}

const dl_kernels *dl_kernels_level(int index) {
    for (int l = 0; l < LEVELS; l++)
        if (cpu_has(levels[l].level) && index-- == 0)
            return &levels[l];
    return NULL;
}

static const dl_kernels *choose(void) {
    const char *wanted = getenv("DLTF_KERNELS");
    for (int l = 0; wanted && l < LEVELS; l++)
        if (strcmp(levels[l].level, wanted) == 0 && cpu_has(wanted))
            return &levels[l];
    return dl_kernels_level(0);
}

static _Atomic(const dl_kernels *) in_use;

/* Two threads that come here at once choose the same. */
const dl_kernels *dl_kernels_now(void) {
    const dl_kernels *kernels = atomic_load_explicit(&in_use, memory_order_acquire);
    if (!kernels) {
        kernels = choose();
        atomic_store_explicit(&in_use, kernels, memory_order_release);
    }
    return kernels;
}

void dl_kernels_force(const dl_kernels *kernels) {
    atomic_store_explicit(&in_use, kernels, memory_order_release);
}
